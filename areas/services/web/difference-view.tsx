import { Stack, Text } from "@mantine/core";
import { client, DiffView, FaultView, useLoaded } from "@reeve/kit";
import type { ServiceDifference } from "@reeve/sdk";
import type { ServiceResource } from "./seen.ts";

type HostDifference = ServiceDifference["hosts"][number];

/** What a deploy would change on each host; hosts that change alike are told together. */
export function DifferenceView({ service }: { readonly service: ServiceResource }) {
  const { scope, name, revision } = service.metadata;
  const { value, fault } = useLoaded(String(revision), (signal) =>
    client.serviceDifference(scope, name, signal),
  );
  if (fault !== undefined) return <FaultView fault={fault} />;
  if (value === undefined)
    return (
      <Text size="sm" c="dimmed">
        Comparing with what the hosts keep.
      </Text>
    );
  return (
    <Stack gap="xs">
      {alike(value.hosts).map(([first, names]) => (
        <Stack key={names} gap={4}>
          <Text size="sm" fw={500}>
            {names}: {wordsOf(first)}
          </Text>
          {first.note !== undefined && (
            <Text size="sm" c="dimmed">
              {first.note}
            </Text>
          )}
          {first.does === "change" && textsOf(first).map((one) => <Changed key={one.label} {...one} />)}
        </Stack>
      ))}
    </Stack>
  );
}

interface Texts {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  readonly encrypted?: true;
}

function Changed({ label, before, after, encrypted }: Texts) {
  return (
    <div>
      <Text size="xs" className="mono">
        {label}
        {encrypted && ": changed, encrypted"}
      </Text>
      {!encrypted && <DiffView label={`Difference of ${label}`} before={before} after={after} />}
    </div>
  );
}

function textsOf({ files, settings }: HostDifference): Texts[] {
  return [
    ...settings.map(({ pointer, before, after }) => ({
      label: pointer.slice(1).replaceAll("/", "."),
      before: valueText(before),
      after: valueText(after),
    })),
    ...files.map(({ path, before = "", after = "", ...more }) => ({ label: path, before, after, ...more })),
  ];
}

function valueText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function wordsOf({ does, files, runs }: HostDifference): string {
  if (does === "begin") return `begins, with ${files.length} ${files.length === 1 ? "file" : "files"}`;
  if (does === "remove") return "is left, the service goes from there";
  if (does === "nothing") return "has all of it already";
  return `changes from generation ${runs?.generation}`;
}

function alike(hosts: readonly HostDifference[]): [HostDifference, string][] {
  const groups = Map.groupBy(hosts, ({ host: _, ...rest }) => JSON.stringify(rest));
  return [...groups.values()].flatMap((same) =>
    same[0] === undefined ? [] : [[same[0], same.map(({ host }) => host).join(", ")]],
  );
}
