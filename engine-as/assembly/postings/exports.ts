export {
  postingsBegin,
  postingsDoc,
  postingsNext,
  postingsOrInto,
  postingsPositions,
  postingsPositionsLength,
} from './decode';
