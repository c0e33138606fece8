export { ASK_VALUES, RemoteAnswer, RemoteRequest } from './request';
export { serve } from './serve';
