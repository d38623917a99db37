import { ApiError } from "../../core/declare/errors.ts";

/** How an action declares {@link unknownReference} and {@link badRequest} among its errors. */
export const UNKNOWN_REFERENCE = "400 validation errors.validation";

/** 400 for a field that refers to what this organisation does not have (money §0); other modules answer 404 or 422 there. */
export const unknownReference = (field: "contact_id" | "lines" | "template_id" | "tax_rate_id") =>
  new ApiError(400, "validation", "errors.validation", { fields: { [field]: "errors.not_found" } });

/** 400 with one translation key per field, where the chapter wants that instead of 404 or 422 (money §9). */
export const badRequest = (fields: Record<string, string>) => new ApiError(400, "validation", "errors.validation", { fields });
