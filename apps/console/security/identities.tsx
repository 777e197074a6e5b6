import { Stack, Text } from "@mantine/core";
import {
  ActionButton,
  Age,
  client,
  FaultView,
  ReasonedButton,
  Section,
  useAction,
  useReading,
} from "@reeve/kit";
import { useEffect } from "react";
import { Line } from "./line.tsx";
import { beginLinking, endLinking } from "./linking.ts";

interface Identity {
  readonly id: string;
  readonly provider: string;
  readonly subject: string;
  readonly seenAt: string | null;
}

async function readIdentities() {
  const items = async <Item,>(path: string) =>
    ((await client.send({ path: `/api/v1${path}` })).body as { items: readonly Item[] }).items;
  const [own, providers] = await Promise.all([
    items<Identity>("/identities"),
    items<{ name: string; displayName: string }>("/sign-in/providers"),
  ]);
  return { own, providers };
}

/** Where else one can sign in as oneself; nothing at all where no identity provider is known. */
export function Identities() {
  const { value, fault, again } = useReading("identities", readIdentities);
  const { run } = useAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the browser is back from a provider
  useEffect(() => {
    const handed = endLinking();
    if (handed !== undefined)
      void run(() => client.linkIdentity(handed), { done: "The identity is linked", onDone: again });
  }, []);
  if (fault) return <FaultView fault={fault} />;
  if (value === undefined || value.own.length + value.providers.length === 0) return null;
  return (
    <Section
      title="Identities"
      lead="At these providers you can sign in as yourself, without your password here."
      actions={value.providers.map(({ name, displayName }) => (
        <ReasonedButton
          key={name}
          label={`Link ${displayName}`}
          why={globalThis.isSecureContext ? undefined : "it needs https, or http://localhost"}
          onClick={() => void beginLinking(name)}
        />
      ))}
    >
      {value.own.length === 0 && (
        <Text size="sm" c="dimmed">
          None is linked yet.
        </Text>
      )}
      <Stack component="ul" gap="xs" p={0} m={0} aria-label="Identities">
        {value.own.map(({ id, provider, subject, seenAt }) => (
          <Line
            key={id}
            title={provider}
            detail={
              <>
                {subject}, last used <Age at={seenAt ?? undefined} />
              </>
            }
            action={
              <ActionButton
                label="Unlink"
                run={() => client.send({ method: "DELETE", path: `/api/v1/identities/${id}` })}
                done="The identity is unlinked"
                onDone={again}
              />
            }
          />
        ))}
      </Stack>
    </Section>
  );
}
