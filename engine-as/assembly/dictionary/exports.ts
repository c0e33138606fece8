export { prefixEnd, prefixStart, termBegin, termCountOf, termFind, termIsLive, termLength } from './terms';
