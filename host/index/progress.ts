/** Called periodically while documents are indexed. Throwing cancels the work. */
export type Progress = (step: string, finished: number, total: number) => void;
