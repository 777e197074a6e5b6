import { ActionIcon, Button, Group, PasswordInput, Stack, Textarea, TextInput, Tooltip } from "@mantine/core";
import { IconPlus, IconTextWrap, IconX } from "@tabler/icons-react";

/** One value as it is being written. */
export interface Pair {
  readonly key: string;
  readonly value: string;
  /** Several lines, such as a certificate; a password field would lose them. */
  readonly lines: boolean;
}

export const newPair = (key = ""): Pair => ({ key, value: "", lines: false });

export const valuesOf = (pairs: readonly Pair[]) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, value]));

interface Props {
  readonly pairs: readonly Pair[];
  readonly onChange: (pairs: readonly Pair[]) => void;
}

/** Keys with their values. What is written is covered unless one asks to see it, and no browser keeps it. */
export function ValueFields({ pairs, onChange }: Props) {
  const change = (at: number, patch: Partial<Pair>) =>
    onChange(pairs.map((pair, index) => (index === at ? { ...pair, ...patch } : pair)));
  return (
    <Stack gap="xs">
      {pairs.map(({ key, value, lines }, at) => {
        const word = key || `value ${at + 1}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a pair has no other name than its place while its key is written
          <Group key={at} align="flex-start" gap="xs" wrap="nowrap">
            <TextInput
              label={at === 0 ? "Key" : undefined}
              aria-label={`Key ${at + 1}`}
              value={key}
              onChange={(event) => change(at, { key: event.currentTarget.value })}
              placeholder="password"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              required
              withAsterisk={false}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
              w="35%"
            />
            {lines ? (
              <Textarea
                label={at === 0 ? "Value" : undefined}
                aria-label={`Value of ${word}`}
                value={value}
                onChange={(event) => change(at, { value: event.currentTarget.value })}
                rows={3}
                autoComplete="off"
                spellCheck={false}
                flex={1}
              />
            ) : (
              <PasswordInput
                label={at === 0 ? "Value" : undefined}
                aria-label={`Value of ${word}`}
                value={value}
                onChange={(event) => change(at, { value: event.currentTarget.value })}
                autoComplete="new-password"
                flex={1}
              />
            )}
            <Group gap={2} wrap="nowrap" mt={at === 0 ? 24 : 0} h={36}>
              <Tooltip label={lines ? "One line, covered" : "Several lines"}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`${lines ? "One line" : "Several lines"} for ${word}`}
                  onClick={() => change(at, { lines: !lines })}
                >
                  <IconTextWrap size={16} />
                </ActionIcon>
              </Tooltip>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Leave out ${word}`}
                onClick={() => onChange(pairs.filter((_, index) => index !== at))}
              >
                <IconX size={16} />
              </ActionIcon>
            </Group>
          </Group>
        );
      })}
      <Button
        variant="subtle"
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange([...pairs, newPair()])}
        style={{ alignSelf: "flex-start" }}
      >
        Another key
      </Button>
    </Stack>
  );
}
