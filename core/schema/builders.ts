import type { TOptional, TProperties, TSchema, Type as TypeBox } from "typebox";

/**
 * The builders of schemas that this service uses: TypeBox's types, and at run time the same objects. TypeBox itself loads 373 modules for
 * them, six percent of a start.
 */

type Given = Record<string, unknown>;
/** TypeBox's own mark of an optional property; not enumerable, so that no copy as JSON carries it. */
const OPTIONAL = "~optional";

const marked = <T extends object>(schema: T, mark: string): T =>
  Object.defineProperty(Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as T, mark, {
    value: true,
    configurable: true,
    writable: true,
  });
const isOptional = (schema: object): boolean => Object.hasOwn(schema, OPTIONAL);

const scalar =
  (type: string) =>
  (options: Given = {}) => ({ type, ...options });

function object(properties: TProperties, options: Given = {}): object {
  const required = Object.keys(properties).filter((name) => !isOptional(properties[name] as TSchema));
  return { type: "object", ...(required.length > 0 && { required }), properties, ...options };
}

type Builders = Pick<
  typeof TypeBox,
  "String" | "Integer" | "Number" | "Boolean" | "Null" | "Unknown" | "Unsafe" | "Union" | "Record" | "Array" | "Object"
> & {
  Optional<T extends TSchema>(schema: T): TOptional<T>;
  IsOptional(schema: TSchema): boolean;
};

/** Builders of schemas by the names and types of TypeBox. */
export const Type = {
  String: scalar("string"),
  Integer: scalar("integer"),
  Number: scalar("number"),
  Boolean: scalar("boolean"),
  Null: scalar("null"),
  Unknown: (options: Given = {}) => ({ ...options }),
  Unsafe: <T extends object>(schema: T) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as T,
  Array: (items: TSchema, options: Given = {}) => ({ type: "array", items, ...options }),
  Union: (anyOf: TSchema[], options: Given = {}) => ({ anyOf, ...options }),
  /** An object whose keys are any texts. */
  Record: (_keys: TSchema, values: TSchema, options: Given = {}) => ({
    type: "object",
    patternProperties: { "^.*$": values },
    ...options,
  }),
  Object: object,
  Optional: (schema: TSchema) => marked(schema, OPTIONAL),
  IsOptional: isOptional,
} as unknown as Builders;
