import { ActionIcon, Group, Paper, Stack, Text, Tooltip } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { describedBy } from "../schema/schema.ts";
import type { FieldProps } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";

/** Around fields that belong together: what they are, and a way to leave them all out. */
export function FieldFrame({
  label,
  at,
  pointer,
  required,
  onChange,
  children,
}: Omit<FieldProps, "value"> & { readonly children: ReactNode }) {
  const error = useFieldError(pointer);
  const description = describedBy(at);
  return (
    <Paper withBorder p="sm" component="fieldset" m={0} miw={0} aria-label={label ?? pointer}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" gap="xs" align="flex-start">
          <div>
            <Text size="sm" fw={500} className="mono" component="div">
              {label}
              {required && (
                <Text span c="red" aria-hidden>
                  {" *"}
                </Text>
              )}
            </Text>
            {description && (
              <Text size="xs" c="dimmed">
                {description}
              </Text>
            )}
          </div>
          {!required && <RemoveButton what={label ?? pointer} onClick={() => onChange(undefined)} />}
        </Group>
        {children}
        {error && (
          <Text size="xs" c="red" role="alert">
            {error}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

export function RemoveButton({ what, onClick }: { readonly what: string; readonly onClick: () => void }) {
  return (
    <Tooltip label={`Leave ${what} out`}>
      <ActionIcon variant="subtle" color="gray" size="sm" onClick={onClick} aria-label={`Leave ${what} out`}>
        <IconTrash size={14} />
      </ActionIcon>
    </Tooltip>
  );
}
