import type { FieldError, Scope } from "@reeve/model";
import { createContext, useContext } from "react";

export interface FormSurroundings {
  /** Where what is written will live: names are offered from there and from above. */
  readonly scope: Scope;
  readonly errors: readonly FieldError[];
}

export const FormContext = createContext<FormSurroundings>({ scope: "", errors: [] });

/** What is wrong with this very field. */
export function useFieldError(pointer: string): string | undefined {
  const { errors } = useContext(FormContext);
  const own = errors.filter((error) => error.pointer === pointer);
  return own.length === 0 ? undefined : own.map((error) => error.message).join("; ");
}
