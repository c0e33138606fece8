const ID = /^[A-Za-z0-9_-]+$/;
/** Bytes. */
export const MAX_ID_BYTES = 511;

/** Whether a text can be the id of a document. */
export function isDocumentId(text: string): boolean {
  return text.length <= MAX_ID_BYTES && ID.test(text);
}
