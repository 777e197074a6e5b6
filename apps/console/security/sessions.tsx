import { Stack } from "@mantine/core";
import { ActionButton, Age, client, Section } from "@reeve/kit";
import type { SessionInfo } from "@reeve/sdk";
import { Line } from "./line.tsx";

interface Props {
  readonly sessions: readonly SessionInfo[];
  readonly onChanged: () => Promise<void>;
}

export function Sessions({ sessions, onChanged }: Props) {
  return (
    <Section
      title="Where you are signed in"
      lead="Whatever you do not know: end it, and set another password."
      actions={
        <ActionButton
          label="End all others"
          why={sessions.length > 1 ? undefined : "you are signed in nowhere else"}
          run={() => client.endSessions("others")}
          done={(ended) => `${ended} ended`}
          onDone={() => void onChanged()}
        />
      }
    >
      <Stack component="ul" gap="xs" p={0} m={0} aria-label="Sessions">
        {sessions.map(({ id, device, address, seenAt, current }) => (
          <Line
            key={id}
            title={current ? `${device} (this one)` : device}
            detail={
              <>
                {address}, last used <Age at={seenAt} />
              </>
            }
            action={
              <ActionButton
                label="End"
                run={() => client.endSessions({ id })}
                done="The session is ended"
                onDone={() => void onChanged()}
              />
            }
          />
        ))}
      </Stack>
    </Section>
  );
}
