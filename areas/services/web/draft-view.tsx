import { Stack, Text } from "@mantine/core";
import { type Column, DataTable } from "@reeve/kit";
import type { JsonObject } from "@reeve/model";
import { useRef } from "react";
import { type DraftPart, draftParts } from "./draft-parts.ts";

/** What the Compose files of a text say, while it is being written. */
export function DraftView({ value }: { readonly value: JsonObject | undefined }) {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  const parts = draftParts(last.current);
  return (
    <Stack gap="xs" aria-label="What the Compose files say">
      <DataTable
        label="Services of the Compose files"
        list={{ rows: parts, state: "live" }}
        columns={columns}
        rowKey={({ name }) => name}
        empty={null}
      />
      <Text size="xs" c="dimmed" role="status">
        {noteOf(value, parts.length)}
      </Text>
    </Stack>
  );
}

const columns: readonly Column<DraftPart>[] = [
  { key: "part", title: "Service", cell: ({ name }) => <span className="mono">{name}</span> },
  { key: "image", title: "Image", cell: ({ image }) => <span className="mono">{image}</span> },
  { key: "ports", title: "Ports", cell: ({ ports }) => <span className="mono">{ports.join(", ")}</span> },
];

function noteOf(value: JsonObject | undefined, count: number): string {
  if (value === undefined)
    return "The text cannot be read just now; this is what the last one said that could.";
  if (count === 0) return "The services of your Compose files turn up here as you write them.";
  return "As Compose's own words; on each host Compose itself has its say before anything is touched.";
}
