import { Text, UnstyledButton } from "@mantine/core";
import { type DiffLine, lineDiff } from "@reeve/model";
import { useMemo, useState } from "react";
import classes from "./diff.module.css";
import { folded, type Numbered, numbered } from "./fold.ts";

interface Props {
  readonly before: string;
  readonly after: string;
  /** What is compared, for who cannot see it. */
  readonly label: string;
}

/** Two texts as one, line by line: what goes, what comes, and a little of what stays around it. */
export function DiffView({ before, after, label }: Props) {
  const lines = useMemo(() => numbered(lineDiff(linesOf(before), linesOf(after))), [before, after]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  if (lines.every((line) => line.sign === " "))
    return (
      <Text size="sm" c="dimmed">
        No difference.
      </Text>
    );
  return (
    <div className={classes.scroll}>
      <table className={classes.diff} aria-label={label}>
        <tbody>
          {folded(lines, open).map((part) =>
            "hidden" in part ? (
              <tr key={`fold ${part.first}`} className={classes.fold}>
                <td colSpan={4}>
                  <UnstyledButton onClick={() => setOpen(new Set([...open, part.first]))}>
                    {part.hidden} lines that stay the same
                  </UnstyledButton>
                </td>
              </tr>
            ) : (
              <Row key={`${part.before} ${part.after}`} line={part} />
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

const signWords: Readonly<Record<DiffLine["sign"], string>> = { " ": "", "-": "removed", "+": "added" };

function Row({ line }: { readonly line: Numbered }) {
  return (
    <tr data-sign={line.sign}>
      <td className={classes.number}>{line.before}</td>
      <td className={classes.number}>{line.after}</td>
      <td className={classes.sign} aria-label={signWords[line.sign]}>
        {line.sign}
      </td>
      <td className={classes.text}>{line.text}</td>
    </tr>
  );
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.trimEnd().split("\n");
}
