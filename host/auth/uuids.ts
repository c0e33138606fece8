const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const HYPHENS = [8, 13, 18, 23];

/** A UUID in lower case with its four hyphens; the input may have all hyphens or none. null when the text is not a UUID. */
export function readUuid(text: string): string | null {
  if (!UUID.test(text)) return null;
  const digits = text.replaceAll('-', '').toLowerCase();
  const whole = text.length === 36 && HYPHENS.every((at) => text[at] === '-');
  if (!whole && text.length !== 32) return null;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
