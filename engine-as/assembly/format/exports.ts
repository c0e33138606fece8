export { Candidate, candidatesPointer, findCandidates, textTokenCount, textTokens, textWordCount } from './candidates';
