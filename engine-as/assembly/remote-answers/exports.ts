export { answerRequest } from './answer';
