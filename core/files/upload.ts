import { invalid, refusal } from "../errors/errors.ts";
import type { StagedUpload } from "../request/context.ts";
import { type TProperties, type TSchema, Type } from "../schema/schema.ts";
import { compileParameters } from "../schema/validation.ts";
import { FILE_TYPES } from "./file-types.ts";

/** An uploaded file: measured, of an accepted type, and in the store. */
export interface Upload extends StagedUpload {
  /** Without path, quotes and control characters, at most 255 characters. */
  name: string;
  /** Media type, by the bytes if they identify it. */
  type: string;
}

/** A rejected upload; its bytes are in no store. */
export interface RefusedUpload {
  problem: "errors.upload_too_large" | "errors.upload_type";
  /** Whether its declared type or its name says that it is of an accepted type, so its bytes contradict it. */
  isClaimed?: boolean;
}

/** The file field of a body. All other fields of that body are form fields, which are read like query parameters. */
export const upload = (types: readonly string[] = FILE_TYPES) =>
  Type.Unsafe<Upload>({ type: "string", format: "binary", accepts: [...types] });

/** A file field that the handler checks itself with `taken`, for chapters that check the row before the file. */
export const lateUpload = (types: readonly string[] = FILE_TYPES) =>
  Type.Unsafe<Upload | RefusedUpload>({ type: "string", format: "binary", accepts: [...types], late: true });

/** The error for a rejected file, with its own message (conventions §18). */
export const refusedFile = (problem: RefusedUpload["problem"], field = "file") =>
  refusal("validation", problem, { fields: { [field]: problem } });

/**
 * Returns the accepted file.
 * @param field its name in the body
 * @throws 413 `errors.upload_too_large`, 422 `errors.upload_type`
 */
export function taken(given: Upload | RefusedUpload, field = "file"): Upload {
  if (!("problem" in given)) return given;
  throw refusedFile(given.problem, field);
}

interface FormSchema {
  properties?: Record<string, TSchema & { format?: string; accepts?: string[]; late?: boolean }>;
  required?: string[];
}

/** The file field of a declared body; null if it has none. */
export function uploadField(body: TSchema | undefined): { field: string; types: string[]; late: boolean } | null {
  const found = Object.entries((body as FormSchema | undefined)?.properties ?? {}).find(([, { format }]) => format === "binary");
  return found ? { field: found[0], types: found[1].accepts ?? [...FILE_TYPES], late: found[1].late === true } : null;
}

/** The two checks of a multipart body; each returns its part of the values, or throws the 422 (or 413) that names the errors. */
export interface FormCheck {
  texts(given: Record<string, unknown>): Record<string, unknown>;
  file(given: Record<string, unknown>): Record<string, unknown>;
}

/** Compiles the checks of a multipart body: its form fields as text, its file as received by the gateway. Null for any other body. */
export function compileForm(body: TSchema | undefined): FormCheck | null {
  const wanted = uploadField(body);
  if (!wanted) return null;
  const { field, late } = wanted;
  const { properties = {}, required = [] } = body as FormSchema;
  const { [field]: _file, ...texts } = properties;
  const read = compileParameters(
    texts as TProperties,
    required.filter((name) => name !== field),
  );
  return {
    texts: ({ [field]: _given, ...given }) => read(given as Record<string, string>),
    file({ [field]: file }) {
      if (file !== undefined) return { [field]: late ? file : taken(file as Upload | RefusedUpload, field) };
      if (required.includes(field)) throw invalid({ [field]: "errors.required" });
      return {};
    },
  };
}
