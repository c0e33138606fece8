export interface Curve {
  name: string;
  values: readonly number[];
}

const [WIDTH, HEIGHT, MARGIN, GAP] = [900, 130, 60, 40];

/** Curves below each other over one axis of minutes, as SVG. */
export function chart(title: string, minutes: readonly number[], curves: readonly Curve[]): string {
  const end = Math.max(...minutes, 1);
  const panels = curves.map(({ name, values }, i) => {
    const top = MARGIN + i * (HEIGHT + GAP);
    const most = Math.max(...values, 1) * 1.1;
    const points = values.map((value, k) => `${at(minutes[k]! / end)},${(top + HEIGHT * (1 - value / most)).toFixed(1)}`);
    return [
      `<text x="${MARGIN}" y="${top - 6}">${name}: ${round(Math.min(...values))} to ${round(Math.max(...values))}</text>`,
      `<path d="M${MARGIN},${top}V${top + HEIGHT}H${MARGIN + WIDTH}" stroke="#888" fill="none"/>`,
      `<polyline points="${points.join(' ')}" stroke="#1f6feb" fill="none"/>`,
      `<text x="${MARGIN + WIDTH}" y="${top + HEIGHT + 14}" text-anchor="end">${round(end)} min</text>`,
    ].join('\n');
  });
  const height = MARGIN + curves.length * (HEIGHT + GAP);
  const size = `width="${WIDTH + 2 * MARGIN}" height="${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="sans-serif" font-size="12">
<rect ${size} fill="#fff"/>
<text x="${MARGIN}" y="24" font-size="16">${title}</text>
${panels.join('\n')}
</svg>
`;
}

const at = (part: number) => (MARGIN + WIDTH * part).toFixed(1);
const round = (value: number) => (value < 100 ? value.toFixed(1) : Math.round(value));
