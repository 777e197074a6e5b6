const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;
const unseen = /\p{Mn}|\p{Me}|\p{Cf}/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not reach a terminal
const control = /[\u0000-\u001f\u007f-\u009f]+/g;

/** How many columns of a terminal a text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += unseen.test(character) ? 0 : wide.test(character) ? 2 : 1;
  return width;
}

/** One line, safe to show: a description may hold escape codes that would drive the terminal. */
export function printable(text: string): string {
  return text.replace(control, " ").trimEnd();
}

/** The beginning that fits, with `…` for the rest. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let used = 1;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
