import { Button, Stack, Text } from "@mantine/core";
import { Command, Dialog } from "@reeve/kit";

interface Props {
  readonly values: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** Values that were revealed: on the screen as long as this is open, and nowhere else. */
export function Revealed({ values, onClose }: Props) {
  return (
    <Dialog title="Revealed" size="lg" onClose={onClose}>
      <Stack>
        {Object.entries(values).map(([key, value]) => (
          <Stack key={key} gap={4}>
            <Text size="sm" fw={500} ff="monospace">
              {key}
            </Text>
            <Command text={value} />
          </Stack>
        ))}
        <Button onClick={onClose} style={{ alignSelf: "flex-end" }}>
          Cover them again
        </Button>
      </Stack>
    </Dialog>
  );
}
