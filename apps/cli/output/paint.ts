import { styleText } from "node:util";

type Style = "red" | "green" | "yellow" | "cyan" | "dim" | "bold";

/** Colour for people: styleText leaves it out for pipes and where NO_COLOR is set. */
export function paintOut(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

export function paintErr(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}
