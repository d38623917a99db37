import { invalid } from "../../core/errors/errors.ts";

/** A name as stored. @throws 422 if it is blank */
export function tidyName(name: string): string {
  const tidy = name.trim();
  if (tidy === "") throw invalid({ name: "errors.required" });
  return tidy;
}
