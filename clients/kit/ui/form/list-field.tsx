import { ActionIcon, Button, Group, MultiSelect, Paper, Stack, TagsInput, Text } from "@mantine/core";
import type { Json } from "@reeve/model";
import { IconChevronDown, IconChevronUp, IconPlus } from "@tabler/icons-react";
import type { SchemaAt } from "../schema/schema.ts";
import { shapeOf } from "../schema/shape.ts";
import { type FieldProps, FieldView } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";
import { FieldFrame, RemoveButton } from "./frame.tsx";
import { labelProps } from "./label.tsx";
import { freshValue } from "./value.ts";

type Props = Omit<FieldProps, "value"> & { readonly value: readonly Json[]; readonly item: SchemaAt };

export function ListField(props: Props) {
  const shape = shapeOf(props.item);
  if (shape.shape === "choice") return <ChoicesField {...props} options={shape.options} />;
  if (shape.shape === "text" && !shape.long && shape.kind === undefined && shape.format === undefined)
    return <WordsField {...props} />;
  return <ItemsField {...props} />;
}

/** What is empty and need not be there is left out. */
const given = (list: Json[], required: boolean) => (list.length === 0 && !required ? undefined : list);

function ChoicesField(props: Props & { readonly options: readonly Json[] }) {
  const { pointer, value, onChange, required, options } = props;
  return (
    <MultiSelect
      {...labelProps(props)}
      error={useFieldError(pointer)}
      data={options.map(String)}
      value={value.map(String)}
      onChange={(next) =>
        onChange(
          given(
            options.filter((one) => next.includes(String(one))),
            required,
          ),
        )
      }
      maw={480}
    />
  );
}

function WordsField(props: Props) {
  const { pointer, value, onChange, required } = props;
  return (
    <TagsInput
      {...labelProps(props)}
      error={useFieldError(pointer)}
      value={value.map(String)}
      onChange={(next) => onChange(given(next, required))}
      placeholder={value.length === 0 ? "type one and press Enter" : ""}
      splitChars={[]}
      allowDuplicates
      acceptValueOnBlur
    />
  );
}

function ItemsField(props: Props) {
  const { pointer, value, onChange, required, item } = props;
  const noun = singular(props.label ?? "item");
  const set = (next: Json[]) => onChange(given(next, required));
  const move = (from: number, to: number) =>
    set(value.toSpliced(from, 1).toSpliced(to, 0, value[from] as Json));
  return (
    <FieldFrame {...props}>
      {value.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place
        <Paper key={index} withBorder p="sm" bg="var(--reeve-ground)">
          <Group justify="space-between" mb={4} wrap="nowrap">
            <Text size="xs" c="dimmed">
              {noun} {index + 1}
            </Text>
            <Group gap={2} wrap="nowrap">
              <Mover
                label={`Move ${noun} ${index + 1} up`}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
                up
              />
              <Mover
                label={`Move ${noun} ${index + 1} down`}
                disabled={index === value.length - 1}
                onClick={() => move(index, index + 1)}
              />
              <RemoveButton what={`${noun} ${index + 1}`} onClick={() => set(value.toSpliced(index, 1))} />
            </Group>
          </Group>
          <FieldView
            at={item}
            pointer={`${pointer}/${index}`}
            value={one}
            onChange={(next) => set(value.with(index, next ?? null) as Json[])}
            required
            bare
          />
        </Paper>
      ))}
      <Stack>
        <Button
          variant="default"
          leftSection={<IconPlus size={14} />}
          w="fit-content"
          onClick={() => set([...value, freshValue(item)])}
        >
          Add a {noun}
        </Button>
      </Stack>
    </FieldFrame>
  );
}

interface MoverProps {
  readonly label: string;
  readonly disabled: boolean;
  readonly onClick: () => void;
  readonly up?: boolean;
}

function Mover({ label, disabled, onClick, up }: MoverProps) {
  return (
    <ActionIcon
      variant="transparent"
      color="gray"
      size="sm"
      aria-label={label}
      disabled={disabled}
      onClick={onClick}
    >
      {up ? <IconChevronUp size={14} /> : <IconChevronDown size={14} />}
    </ActionIcon>
  );
}

function singular(word: string): string {
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.replace(/s$/, "");
}
