/** One line of a container's log, as agents collect it and people read it. */
export interface ContainerLine {
  readonly container: string;
  readonly stream: "stdout" | "stderr";
  /** With nanoseconds, so that a next reading can go on after it. */
  readonly at: string;
  readonly text: string;
}

/** Times of lines in their order, whether or not they tell nanoseconds. */
export function timeKey(at: string): string {
  return at.replace(/Z$/, "");
}
