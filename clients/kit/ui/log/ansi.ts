/** A part of a line that looks the same: colours are `0` to `15` of the palette, or `#rrggbb`. */
export interface Span {
  readonly text: string;
  readonly color?: number | string;
  readonly background?: number | string;
  readonly bold?: true;
  readonly dim?: true;
  readonly italic?: true;
  readonly underline?: true;
}

type Look = Omit<Span, "text">;

const esc = "\u001b";
/** A control sequence (its parameters and its end are kept), a title or other text for the terminal, or a short escape. */
const sequence = new RegExp(
  [
    String.raw`\u001b\[([0-9;:?<=>]*)[ -/]*([@-~])`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join("|"),
  "y",
);
/** All but tabs. */
const control = /[^\P{Cc}\t]/gu;

/**
 * A line of terminal output as parts with a look. Colours and weights are kept, everything else that would steer a terminal is
 * dropped; of a line that was overwritten (`\r`) its last state is shown. Each line begins plain, as any line can be the first
 * that is read.
 */
export function ansiSpans(line: string): Span[] {
  const text = line.includes("\r") ? overwritten(line) : line;
  if (!text.includes(esc)) return text === "" ? [] : [{ text: text.replace(control, "") }];
  const spans: Span[] = [];
  let look: Look = {};
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf(esc, at);
    const plain = text.slice(at, next < 0 ? undefined : next).replace(control, "");
    if (plain !== "") spans.push({ text: plain, ...look });
    if (next < 0) break;
    sequence.lastIndex = next;
    const found = sequence.exec(text);
    if (found?.[2] === "m") look = lookAfter(look, found[1] ?? "");
    at = found === null ? next + 1 : sequence.lastIndex;
  }
  return spans;
}

function overwritten(line: string): string {
  const states = line.split("\r").filter((state) => state !== "");
  return states.at(-1) ?? "";
}

function lookAfter(before: Look, parameters: string): Look {
  const codes = parameters.split(/[;:]/).map((code) => (code === "" ? 0 : Number(code)));
  let look: { -readonly [Key in keyof Look]: Look[Key] } = { ...before };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] as number;
    if (code === 0) look = {};
    else if (code === 1) look.bold = true;
    else if (code === 2) look.dim = true;
    else if (code === 3) look.italic = true;
    else if (code === 4) look.underline = true;
    else if (code === 22) {
      delete look.bold;
      delete look.dim;
    } else if (code === 23) delete look.italic;
    else if (code === 24) delete look.underline;
    else if (code === 39) delete look.color;
    else if (code === 49) delete look.background;
    else if (code >= 30 && code <= 37) look.color = code - 30;
    else if (code >= 90 && code <= 97) look.color = code - 82;
    else if (code >= 40 && code <= 47) look.background = code - 40;
    else if (code >= 100 && code <= 107) look.background = code - 92;
    else if (code === 7)
      look = { ...look, color: look.background ?? "inverse", background: look.color ?? "inverse" };
    else if (code === 38 || code === 48) {
      const [color, used] = extended(codes.slice(at + 1));
      at += used;
      if (color !== undefined) look[code === 38 ? "color" : "background"] = color;
    }
  }
  return look;
}

/** `5;n` of 256 colours, or `2;r;g;b`. */
function extended([kind, ...values]: readonly number[]): [number | string | undefined, number] {
  if (kind === 2) return [hex(values.slice(0, 3)), 4];
  const [index = 0] = values;
  if (kind !== 5) return [undefined, 1];
  if (index < 16) return [index, 2];
  if (index >= 232) return [hex(Array.from({ length: 3 }, () => (index - 232) * 10 + 8)), 2];
  const cube = [Math.floor((index - 16) / 36), Math.floor((index - 16) / 6) % 6, (index - 16) % 6];
  return [hex(cube.map((part) => (part === 0 ? 0 : part * 40 + 55))), 2];
}

function hex(parts: readonly number[]): string {
  const text = (part: number | undefined) =>
    Math.min(255, part ?? 0)
      .toString(16)
      .padStart(2, "0");
  return `#${[0, 1, 2].map((at) => text(parts[at])).join("")}`;
}

/** The same parts, cut where the text that is looked for begins and ends. Case does not matter. */
export function highlight(spans: readonly Span[], sought: string): (Span & { readonly hit?: true })[] {
  if (sought === "") return [...spans];
  const whole = spans
    .map(({ text }) => text)
    .join("")
    .toLowerCase();
  const wanted = sought.toLowerCase();
  const hits: number[] = [];
  for (let at = whole.indexOf(wanted); at >= 0; at = whole.indexOf(wanted, at + wanted.length)) hits.push(at);
  if (hits.length === 0) return [...spans];
  const cuts = hits.flatMap((at) => [at, at + wanted.length]);
  const cut: (Span & { hit?: true })[] = [];
  let begin = 0;
  for (const span of spans) {
    const end = begin + span.text.length;
    const places = [begin, ...cuts.filter((place) => place > begin && place < end), end];
    for (const [index, from] of places.slice(0, -1).entries()) {
      const isHit = hits.some((at) => from >= at && from < at + wanted.length);
      const text = span.text.slice(from - begin, (places[index + 1] ?? end) - begin);
      cut.push({ ...span, text, ...(isHit && { hit: true }) });
    }
    begin = end;
  }
  return cut;
}
