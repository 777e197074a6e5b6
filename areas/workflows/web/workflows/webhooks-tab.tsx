import { Code, Paper, Stack, Text, Title } from "@mantine/core";
import { CodeView, Command, EmptyState } from "@reeve/kit";
import { toYaml } from "@reeve/model/yaml";
import type { WebhookSpec } from "../../kinds/index.ts";
import type { TabProps } from "./workflow-tabs.tsx";

/** The addresses at which a signed request begins a run. */
export function WebhooksTab({ workflow: { metadata, spec } }: TabProps) {
  const hooks = spec.webhooks ?? [];
  if (hooks.length === 0)
    return (
      <EmptyState title="No webhooks">
        A webhook is an address that begins a run when somebody sends it a signed request: a push to Git, an
        alert, another system. Add one to the workflow's <Code>webhooks</Code>, with the secret that its
        sender signs with.
      </EmptyState>
    );
  return (
    <Stack>
      {hooks.map((hook) => (
        <Webhook
          key={hook.name}
          hook={hook}
          place={[metadata.scope, metadata.name].filter(Boolean).join("/")}
        />
      ))}
    </Stack>
  );
}

const signatures: Record<WebhookSpec["signature"], string> = {
  reeve:
    "Signed by the header Reeve-Signature: t=TIME,v1=HMAC, where HMAC is HMAC-SHA256 over the time, a dot and the body. It is good for 5 minutes.",
  github: "Signed by the header X-Hub-Signature-256, as GitHub does: HMAC-SHA256 over the body.",
};

function Webhook({ hook, place }: { readonly hook: WebhookSpec; readonly place: string }) {
  const address = `${globalThis.location.origin}/api/v1/hooks/${place}/${hook.name}`;
  const { when, inputs } = hook;
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Title order={2} className="mono">
          {hook.name}
        </Title>
        <Command text={address} />
        <Text size="sm">{signatures[hook.signature]}</Text>
        <Text size="sm">
          The key is <Code>{hook.secret.secretRef.key}</Code> of the secret{" "}
          <Code>{hook.secret.secretRef.name}</Code>.
        </Text>
        {(when !== undefined || inputs !== undefined) && (
          <CodeView
            text={toYaml({
              ...(when === undefined ? {} : { when }),
              ...(inputs === undefined ? {} : { inputs }),
            })}
            label={`conditions and inputs of ${hook.name}`}
          />
        )}
      </Stack>
    </Paper>
  );
}
