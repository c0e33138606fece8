export { answerRequest } from './answer';
export { REQUEST_VALUES, RemoteAnswer, RemoteRequest } from './request';
