export { candidatesPointer, findCandidates, textTokenCount, textTokens, textWordCount } from './candidates';
