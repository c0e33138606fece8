export { RemoteAnswer, RemoteRequest } from './request';
export { serve } from './serve';
