/** How the values of a metric are aggregated between two reports. */
export type Fold = 'sum' | 'mean' | 'largest' | 'any' | 'last' | 'distinct' | 'p99';

/** Limits of a `distinct` metric: number of values, and characters of each. What exceeds them is left out. */
const MAX_DISTINCT_VALUES = 100;
const MAX_TEXT_LENGTH = 100;
/** Ratio of consecutive bucket bounds in the histogram of response times. */
const STEP = 1.05;

interface Cell {
  add(value: unknown): void;
  read(): unknown;
}

const CELLS: Record<Fold, () => Cell> = {
  sum: () => {
    let sum = 0;
    return {
      add: (value) => {
        sum += Number(value);
      },
      read: () => sum,
    };
  },
  mean: () => {
    let sum = 0;
    let count = 0;
    return {
      add: (value) => {
        sum += Number(value);
        count++;
      },
      read: () => (count === 0 ? 0 : sum / count),
    };
  },
  largest: () => {
    let largest = 0;
    return {
      add: (value) => {
        largest = Math.max(largest, Number(value));
      },
      read: () => largest,
    };
  },
  any: () => {
    let any = false;
    return {
      add: (value) => {
        any ||= Boolean(value);
      },
      read: () => any,
    };
  },
  last: () => {
    let last: unknown = null;
    return {
      add: (value) => {
        last = value;
      },
      read: () => last,
    };
  },
  distinct: () => {
    const values = new Set<string>();
    return {
      add: (value) => {
        if (values.size < MAX_DISTINCT_VALUES) values.add(String(value).slice(0, MAX_TEXT_LENGTH));
      },
      read: () => [...values],
    };
  },
  p99: () => {
    const counts = new Map<number, number>();
    let total = 0;
    return {
      add: (value) => {
        const step = Math.ceil(Math.log(Math.max(Number(value), 0.01)) / Math.log(STEP));
        counts.set(step, (counts.get(step) ?? 0) + 1);
        total++;
      },
      read: () => {
        let passed = 0;
        for (const step of [...counts.keys()].sort((a, b) => a - b)) {
          passed += counts.get(step)!;
          if (passed >= total * 0.99) return STEP ** step;
        }
        return 0;
      },
    };
  },
};

/** Metrics that are aggregated from events. */
export class Tally {
  #cells = new Map<string, Cell>();

  constructor(private readonly folds: ReadonlyMap<string, Fold>) {}

  add(name: string, value: unknown = 1): void {
    this.#cell(name).add(value);
  }

  /** The aggregate of a metric since the last {@link clear}. */
  read(name: string): unknown {
    return this.#cell(name).read();
  }

  clear(): void {
    this.#cells = new Map();
  }

  #cell(name: string): Cell {
    let cell = this.#cells.get(name);
    if (!cell) {
      cell = CELLS[this.folds.get(name)!]();
      this.#cells.set(name, cell);
    }
    return cell;
  }
}
