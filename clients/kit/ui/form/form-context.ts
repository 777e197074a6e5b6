import type { FieldError, Json, Scope } from "@reeve/model";
import { createContext, useContext } from "react";

export interface FormSurroundings {
  /** Where what is written will live: names are offered from there and from above. */
  readonly scope: Scope;
  readonly errors: readonly FieldError[];
  /** Every field is shown, also those that are not used. */
  readonly whole?: boolean;
}

export const FormContext = createContext<FormSurroundings>({ scope: "", errors: [] });

/** What is wrong with this very field. Of one that nobody has filled in yet, that it is empty is no news. */
export function useFieldError(pointer: string, value?: Json): string | undefined {
  const { errors } = useContext(FormContext);
  const own = errors.filter((error) => error.pointer === pointer);
  return own.length === 0 || value === "" ? undefined : own.map((error) => error.message).join("; ");
}
