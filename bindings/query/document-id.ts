const ID = /^[A-Za-z0-9_-]+$/;
/** Bytes. */
export const LONGEST_ID = 511;

/** Whether a text can be the id of a document. */
export function isDocumentId(text: string): boolean {
  return text.length <= LONGEST_ID && ID.test(text);
}
