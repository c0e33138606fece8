const DECIMAL_AND_BINARY = ['B', 'KB', 'KiB', 'MB', 'MiB', 'GB', 'GiB', 'TB', 'TiB'];
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Bytes of a unit: `KB` is 1000, `KiB` is 1024. */
function unitBytes(unit: string): number {
  const power = 'BKMGT'.indexOf(unit[0]!);
  return (unit.includes('i') ? 1024 : 1000) ** power;
}

/** In the largest unit, decimal or binary, that gives at least 1; not rounded: `1.01 KB`, `120.5625 KiB`. */
export function exactSize(bytes: number): string {
  const unit = DECIMAL_AND_BINARY.findLast((name) => bytes >= unitBytes(name)) ?? 'B';
  return `${bytes / unitBytes(unit)} ${unit}`;
}

/** In binary units with at most two decimals: `9.77 KiB`. */
export function humanSize(bytes: number): string {
  const unit = BINARY.findLast((name) => bytes >= unitBytes(name)) ?? 'B';
  return `${Number((bytes / unitBytes(unit)).toFixed(2))} ${unit}`;
}

/** Like {@link humanSize}, but at least in KiB, because files occupy whole blocks. */
export function storeSize(bytes: number): string {
  return bytes >= 1024 ? humanSize(bytes) : `${Number((bytes / 1024).toFixed(2))} KiB`;
}

/** A limit in messages: binary units for multiples of 1024, otherwise decimal ones. */
export function limitSize(bytes: number): string {
  const units = DECIMAL_AND_BINARY.filter((name) => name === 'B' || name.includes('i') === (bytes % 1024 === 0));
  const unit = units.findLast((name) => bytes >= unitBytes(name)) ?? 'B';
  return `${Number((bytes / unitBytes(unit)).toFixed(2))} ${unit}`;
}

const SIZE = /^(\d+(?:\.\d+)?)\s*([kmgt]?i?b?)$/i;

/** Parses a number of bytes, or a number with a unit (`100 MB`, `1.5GiB`, `20k`); null when the text is neither. */
export function parseSize(text: string): number | null {
  const parts = SIZE.exec(text.trim());
  if (!parts) return null;
  const [, number, unit] = parts;
  const bytes = Number(number) * unitBytes((unit || 'B').toUpperCase().replace('I', 'i'));
  return unit === '' && !Number.isInteger(bytes) ? null : Math.floor(bytes);
}
