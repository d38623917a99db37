import { invalid } from "../../core/declare/errors.ts";

/** A name as it is stored. @throws 422 where nothing is left of it */
export function tidyName(name: string): string {
  const tidy = name.trim();
  if (tidy === "") throw invalid({ name: "errors.required" });
  return tidy;
}
