import type { DocumentParameter, Schema } from "./document.ts";
import type { Model, Operation } from "./model.ts";
import { pascal, snake } from "./names.ts";
import { docstring, PythonTypes, pythonName } from "./python-models.ts";
import { type Group, groupsOf, isList, walksOf } from "./tree.ts";

/** The two forms of the client. */
interface Form {
  prefix: "" | "Async";
  define: string;
  wait: string;
  events: string;
}
const SYNC: Form = { prefix: "", define: "def", wait: "", events: "Iterator" };
const ASYNC: Form = { prefix: "Async", define: "async def", wait: "await ", events: "AsyncIterator" };

/** Names of types that are not the models' own. */
const SHARED = new Set(["Dict", "List", "Literal", "None", "Page", "True", "False", "Union", "Upload"]);

class Writer {
  readonly #types: PythonTypes;
  /** The models that the methods name. */
  readonly models = new Set<string>();
  constructor(types: PythonTypes) {
    this.#types = types;
  }

  #type(schema: Schema, name: string): string {
    const type = this.#types.typeOf(schema, name);
    for (const [word] of type.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/\b[A-Z]\w*/g))
      if (!SHARED.has(word)) this.models.add(word);
    return type;
  }

  #queryType(parameter: DocumentParameter, name: string): string {
    const type = this.#type(parameter.schema.items ?? parameter.schema, name);
    return parameter.schema.items ? `Union[${type}, Sequence[${type}]]` : type;
  }

  #parameters(operation: Operation): string[] {
    const { pathParameters, body, query, takesKey, takesMatch } = operation;
    const name = pascal(operation.name);
    const required = query.filter((one) => one.required);
    const optional = query.filter((one) => !one.required);
    const named = [
      ...required.map((one) => `${pythonName(one.name)}: ${this.#queryType(one, `${name}${pascal(one.name)}`)}`),
      ...optional.map(
        (one) => `${pythonName(one.name)}: Union[${this.#queryType(one, `${name}${pascal(one.name)}`)}, None] = None`,
      ),
      ...(takesKey ? ["idempotency_key: Union[str, None] = None"] : []),
      ...(takesMatch ? ["if_match: Union[str, Mapping[str, object], None] = None"] : []),
    ];
    return [
      "self",
      ...pathParameters.map((one) => `${pythonName(one.name)}: str`),
      ...(body ? [`body: ${this.#type(body.schema, `${name}Body`)}${body.required ? "" : " | None = None"}`] : []),
      ...(named.length > 0 ? ["*", ...named] : []),
    ];
  }

  #call(operation: Operation): string {
    const { pathParameters, body, query, takesKey, takesMatch, answer } = operation;
    const walks = isList(operation) || answer.kind === "page" ? walksOf(operation) : [];
    const about = [
      JSON.stringify(operation.method),
      JSON.stringify(operation.path),
      ...(body ? [JSON.stringify(body.kind)] : []),
      ...(walks.length > 0 ? [`walks=${JSON.stringify(walks)}`] : []),
      ...(takesKey ? ["takes_key=True"] : []),
    ];
    const given = [
      `Operation(${about.join(", ")})`,
      ...(pathParameters.length > 0 ? [`(${pathParameters.map(({ name }) => `${pythonName(name)},`).join(" ")})`] : []),
      ...(body ? ["body=body"] : []),
      ...(query.length > 0
        ? [`query={${query.map(({ name }) => `${JSON.stringify(name)}: ${pythonName(name)}`).join(", ")}}`]
        : []),
      ...(takesKey ? ["idempotency_key=idempotency_key"] : []),
      ...(takesMatch ? ["if_match=if_match"] : []),
    ];
    return `Call(${given.join(", ")})`;
  }

  #method(name: string, operation: Operation, form: Form): string {
    const { answer } = operation;
    const title = pascal(operation.name);
    const json = () => {
      const types = answer.schemas.map((schema, index) => this.#type(schema, `${title}Answer${index || ""}`));
      return [...types, ...(answer.mayBeEmpty ? ["None"] : [])].join(" | ");
    };
    const call = this.#call(operation);
    const about = docstring([operation.summary, operation.description, `\`${operation.method} ${operation.path}\``], "        ");
    const written = (define: string, result: string, returned: string) =>
      `    ${define} ${pythonName(snake(name))}(${this.#parameters(operation).join(", ")}) -> ${result}:\n${about}        ${returned}\n`;
    if (answer.kind === "page" || isList(operation)) {
      const item = this.#type((answer.item ?? answer.schemas[0]?.items) as Schema, `${title}Item`);
      const result = `${form.prefix}Listing[${item}, ${json()}]`;
      return written("def", result, `return cast("${result.replaceAll('"', "'")}", self._client.listing(${call}))`);
    }
    if (answer.kind === "events") return written("def", `${form.events}[ServerEvent]`, `return self._client.events(${call})`);
    if (answer.kind === "file")
      return written(form.define, `${form.prefix}Download`, `return ${form.wait}self._client.file(${call})`);
    if (answer.kind === "none") return written(form.define, "None", `${form.wait}self._client.none(${call})`);
    const result = json();
    return written(form.define, result, `return cast("${result.replaceAll('"', "'")}", ${form.wait}self._client.json(${call}))`);
  }

  /** The classes of a group and of those inside, the inner ones first. */
  classes(group: Group, path: string[], form: Form): string[] {
    const inner = [...group.groups].flatMap(([name, one]) => this.classes(one, [...path, name], form));
    const isRoot = path.length === 0;
    const className = isRoot ? `${form.prefix}Kantoor` : `${form.prefix}${pascal(path.join("."))}Group`;
    const groups = [...group.groups.keys()].map(
      (name) =>
        `        self.${pythonName(snake(name))} = ${form.prefix}${pascal([...path, name].join("."))}Group(${isRoot ? "self" : "client"})\n`,
    );
    const methods = [...group.methods].map(([name, operation]) => this.#method(name, operation, form));
    if (!isRoot) {
      const start = `class ${className}:\n    def __init__(self, client: ${form.prefix}Client) -> None:\n        self._client = client\n`;
      return [...inner, [start + groups.join(""), ...methods].join("\n")];
    }
    const given =
      "        base_url: str,\n        *,\n        api_key: str | None = None,\n        access_token: str | None = None,\n        max_retries: int = 2,\n" +
      `        timeout: float = 60.0,\n        longest_wait: float = 60.0,\n        headers: Mapping[str, str] | None = None,\n        http: httpx.${form.prefix}Client | None = None,\n`;
    const start =
      `class ${className}(${form.prefix}Client):\n    """A client of one organisation: a method for each operation of the API, by its name."""\n\n` +
      `    def __init__(\n        self,\n${given}    ) -> None:\n        super().__init__(\n            base_url,\n            api_key=api_key,\n            access_token=access_token,\n` +
      "            max_retries=max_retries,\n            timeout=timeout,\n            longest_wait=longest_wait,\n            headers=headers,\n            http=http,\n        )\n" +
      `        self._client = self\n${groups.join("")}\n` +
      (form === ASYNC
        ? "    async def __aenter__(self) -> AsyncKantoor:\n        return self\n"
        : "    def __enter__(self) -> Kantoor:\n        return self\n");
    return [...inner, [start, ...methods].join("\n")];
  }
}

function apiOf(writer: Writer, model: Model, form: Form): string {
  const classes = writer.classes(groupsOf(model.operations), [], form);
  const from = form === ASYNC ? "async" : "sync";
  const names = ["Client", "Download", "Listing"].map((name) => `${form.prefix}${name}`);
  return [
    '"""A method for each operation of the API. Written by `npm run sdk` from its document."""\n',
    "from __future__ import annotations\n",
    `from typing import TYPE_CHECKING, ${form.events}, Dict, List, Literal, Mapping, Sequence, Union, cast\n\nimport httpx\n`,
    `from .answers import ServerEvent, Upload\nfrom .changes import Page\nfrom .client_${from} import ${names.join(", ")}\nfrom .plan import Call, Operation\n`,
    // Types alone need the models, which are half of the package.
    `if TYPE_CHECKING:\n    from .models import (\n${[...writer.models]
      .sort()
      .map((name) => `        ${name},\n`)
      .join("")}    )\n`,
    ...classes,
  ].join("\n\n");
}

const WORDS: readonly [RegExp, string][] = [
  [
    /\n"""\nThe client for asyncio\.[\s\S]*?"""\n/,
    '\n"""The client for threads. Written by `npm run sdk` from `client_async.py`."""\n',
  ],
  [/from asyncio import sleep/, "from time import sleep"],
  [/\basync (def|for|with)\b/g, "$1"],
  [/\bawait /g, ""],
  [/Awaitable\[object\]/g, "object"],
  [/AsyncIterator, Awaitable, Callable, Generic, /, "Callable, Generic, Iterator, "],
  [
    /\b(a|__a)(close|read|iter_bytes|iter_lines|exit__|iter__)\b/g,
    (_: string, before: string, word: string) => (before === "a" ? word : `__${word}`),
  ] as never,
  [/Async/g, ""],
];

/** The client for threads, from the source of that for asyncio. */
export const syncOf = (source: string): string =>
  WORDS.reduce((text, [from, to]) => text.replace(from, to), `\n${source}`).trimStart();

/** The generated modules of the Python client, by their name. @param source `client_async.py` */
export function pythonOf(model: Model, source: string): Record<string, string> {
  const types = new PythonTypes(model);
  const writer = new Writer(types);
  const apis = { "api_sync.py": apiOf(writer, model, SYNC), "api_async.py": apiOf(writer, model, ASYNC) };
  return { ...apis, "models.py": types.module(), "client_sync.py": syncOf(source) };
}
