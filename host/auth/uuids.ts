const UUID = /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i;
const HYPHENS = [8, 13, 18, 23];

/** A UUID in lower case with its four hyphens; all or none of them may be missing. null when the text is none. */
export function readUuid(text: string): string | null {
  if (!UUID.test(text)) return null;
  const digits = text.replaceAll('-', '').toLowerCase();
  const whole = text.length === 36 && HYPHENS.every((at) => text[at] === '-');
  if (!whole && text.length !== 32) return null;
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}
