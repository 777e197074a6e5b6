import { Fragment } from "react";
import { Age } from "./age.tsx";

const moment = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** What the server says of something, with the moments in it as they are from now. */
export function WithAges({ text }: { readonly text: string }) {
  const parts = text.split(moment);
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
  return parts.map((part, at) => <Fragment key={at}>{at % 2 === 1 ? <Age at={part} /> : part}</Fragment>);
}
