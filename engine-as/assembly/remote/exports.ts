export { REQUEST_VALUES, RemoteAnswer, RemoteRequest } from './request';
