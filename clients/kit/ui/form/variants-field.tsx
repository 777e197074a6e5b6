import { Input, SegmentedControl, Select } from "@mantine/core";
import { isObject, type Json } from "@reeve/model";
import { variantFor } from "../schema/check.ts";
import { propertiesOf, type SchemaAt } from "../schema/schema.ts";
import { variantKey, variantLabel } from "../schema/variant-label.ts";
import { type FieldProps, FieldView } from "./field-view.tsx";
import { FieldFrame } from "./frame.tsx";
import { freshValue } from "./value.ts";

const fewForms = 4;

/** A value of one of several forms: which, and then its fields. */
export function VariantsField(props: FieldProps & { readonly variants: readonly SchemaAt[] }) {
  const { variants, value, onChange, bare, label } = props;
  const { label: _, ...unlabelled } = props;
  const chosen = variantFor(variants, value);
  const at = variants[chosen] as SchemaAt;
  const data = variants.map((one, index) => ({ value: String(index), label: variantLabel(one) }));
  const choose = (next: string | null) => {
    const form = variants[Number(next)];
    if (form !== undefined && form !== at) onChange(carriedOver(form, value));
  };
  const parts = { data, value: String(chosen), onChange: choose, "aria-label": `form of ${label ?? "this"}` };
  const content = (
    <>
      <Input.Wrapper label={variantKey(variants)} labelProps={{ className: "mono" }} labelElement="div">
        <div>
          {variants.length <= fewForms ? (
            <SegmentedControl {...parts} size="xs" />
          ) : (
            <Select {...parts} allowDeselect={false} maw={320} />
          )}
        </div>
      </Input.Wrapper>
      <FieldView {...unlabelled} at={at} required bare />
    </>
  );
  return bare ? content : <FieldFrame {...props}>{content}</FieldFrame>;
}

/** What both forms have stays. */
function carriedOver(form: SchemaAt, value: Json | undefined): Json {
  const fresh = freshValue(form);
  if (!isObject(fresh) || !isObject(value)) return fresh;
  const known = propertiesOf(form).filter(
    ({ name, at }) => at.schema.const === undefined && value[name] !== undefined,
  );
  return { ...fresh, ...Object.fromEntries(known.map(({ name }) => [name, value[name] as Json])) };
}
