import { Select, TextInput } from "@mantine/core";
import { client, TerminalView, useQuery, useWhyNot } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { TerminalTicket } from "@reeve/sdk";
import { useState } from "react";
import { Service } from "../../kinds/index.ts";
import type { ServiceResource } from "../seen.ts";
import { enterable, type Place } from "./places.ts";

/** A command in a container of the service. Which container is in the address; what is run there is not, and nothing runs by itself. */
export function TerminalTab({ service }: { readonly service: ServiceResource }) {
  const [{ host, container }] = useQuery();
  const places = enterable(service.status.instances ?? []);
  const chosen =
    host === undefined && container === undefined
      ? places.find(({ why }) => why === undefined)
      : places.find((one) => one.host === host && one.container === container);
  const key = chosen && keyOf(chosen);
  // Another container has another terminal.
  return <InContainer key={key} service={service} places={places} place={chosen} />;
}

const keyOf = ({ host, container }: Place) => `${container} on ${host}`;

interface Props {
  readonly service: ServiceResource;
  readonly places: readonly Place[];
  readonly place: Place | undefined;
}

function InContainer({ service, places, place }: Props) {
  const { scope, name } = service.metadata;
  const [, patch] = useQuery();
  const [command, setCommand] = useState("sh");
  const words = command.split(/\s+/).filter(Boolean);
  const may = useWhyNot("exec", service as unknown as Resource);
  const nowhere = places.length === 0 ? "it has no containers" : "choose a container";
  const why =
    may ?? (place === undefined ? nowhere : place.why) ?? (words[0] ? undefined : "say which command");
  return (
    <TerminalView
      label={`Terminal of ${place?.container ?? name}`}
      why={why}
      ask={async (key) => {
        const input = { command: words, host: place?.host, container: place?.container, tty: true };
        return (await client.kind(Service).act(scope, name, "exec", input, key)) as TerminalTicket;
      }}
      fields={(isOpen) => (
        <>
          <Select
            label="Container"
            data={places.map(keyOf)}
            value={place === undefined ? null : keyOf(place)}
            onChange={(next) => {
              const found = places.find((one) => keyOf(one) === next);
              if (found) patch({ host: found.host, container: found.container });
            }}
            disabled={isOpen}
            allowDeselect={false}
            flex="1 1 14rem"
            maw={360}
          />
          <TextInput
            label="Command"
            classNames={{ input: "mono" }}
            value={command}
            onChange={({ currentTarget }) => setCommand(currentTarget.value)}
            disabled={isOpen}
            flex="1 1 10rem"
            maw={360}
          />
        </>
      )}
    >
      A terminal in the container, with the rights of its user. It runs the command that stands above.
    </TerminalView>
  );
}
