/** Browsers cannot scroll further than some 17 million pixels; longer logs move by more than a pixel for each. */
const mostPixels = 15_000_000;

export const lineHeight = 18;

/** How a log's lines lie in a box that scrolls. */
export interface Lay {
  /** How high the box believes its content to be. */
  readonly height: number;
  /** How many pixels of the log go by for each that is scrolled. */
  readonly factor: number;
  /** The first line that is seen, and by how many pixels it is cut above. */
  at(scrollTop: number): { readonly first: number; readonly cut: number };
  /** Where to scroll so that this line is the first. */
  top(line: number): number;
}

export function layOf(lines: number, viewHeight: number): Lay {
  const real = lines * lineHeight;
  const height = Math.min(real, mostPixels);
  const factor = height > viewHeight ? (real - viewHeight) / (height - viewHeight) : 1;
  return {
    height,
    factor,
    at(scrollTop) {
      const pixels = Math.max(0, scrollTop) * factor;
      const first = Math.floor(pixels / lineHeight);
      return { first, cut: pixels - first * lineHeight };
    },
    top: (line) => Math.max(0, Math.min(line * lineHeight, real - viewHeight)) / factor,
  };
}
