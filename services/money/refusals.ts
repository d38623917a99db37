import { ApiError } from "../../core/errors/errors.ts";

/** Declares {@link unknownReference} and {@link badRequest} among an action's errors. */
export const UNKNOWN_REFERENCE = "400 validation errors.validation";

/** 400 for a field that refers to a record of another organisation or none (money §0); other modules answer 404 or 422. */
export const unknownReference = (field: "contact_id" | "lines" | "template_id" | "tax_rate_id") =>
  new ApiError(400, "validation", "errors.validation", { fields: { [field]: "errors.not_found" } });

/** 400 with one translation key per field, where the chapter requires that instead of 404 or 422 (money §9). */
export const badRequest = (fields: Record<string, string>) => new ApiError(400, "validation", "errors.validation", { fields });

/** 400 for the type of an agreement that does not exist (money §9). */
export const unknownType = () => badRequest({ subscription_type_id: "errors.validation" });

/** 400 for the preset of an agreement that does not exist (money §9). */
export const unknownPreset = () => badRequest({ subscription_template_id: "errors.validation" });
