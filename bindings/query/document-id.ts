const ID = /^[A-Za-z0-9_-]+$/;
/** Longest document id in bytes. */
export const MAX_ID_BYTES = 511;

/** Whether a text is a valid document id. */
export function isDocumentId(text: string): boolean {
  return text.length <= MAX_ID_BYTES && ID.test(text);
}
