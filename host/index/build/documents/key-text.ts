/** A key as text. Keys are ASCII. */
export function keyText(key: Uint8Array): string {
  return Buffer.from(key).toString('latin1');
}
