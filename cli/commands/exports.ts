import path from "node:path";
import type { ImpexEntity } from "../../core/impex/entity.ts";
import { FORMATS, type Format } from "../../core/impex/export.ts";
import { runExport } from "../../operator/import/run.ts";
import { OperatorError } from "../../operator/organisations.ts";
import { type Command, type CommandInput, ORG } from "../command.ts";

/** The requested format, else the one of the file's extension, else CSV. */
function formatOf(call: CommandInput): Format {
  const given = call.text("format");
  const named = given ?? path.extname(call.need("file")).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === named);
  if (given !== undefined && !format) throw new OperatorError(`--format must be ${FORMATS.join(" or ")}.`);
  return format ?? "csv";
}

/** One command per kind of record that can be exported. */
export const exportCommands = (entities: readonly ImpexEntity[]): Command[] =>
  entities.map((entity) => ({
    name: `export ${entity.plural}`,
    about: `Write all ${entity.plural} of an organisation to a file that can be imported again`,
    arguments: [{ name: "file", about: "The file to write; an existing file is replaced" }],
    options: { org: ORG, format: { value: FORMATS.join("|"), about: "Else by the file's name, else csv" } },
    ownTransactions: true,
    async run(call) {
      const organisation = await call.organisation();
      const [file, format] = [call.need("file"), formatOf(call)];
      try {
        const rows = await call.withPool(() => runExport(entity, organisation, file, format));
        return {
          json: { entity: entity.plural, organisation: organisation.slug, file, format, rows },
          text: [`${rows} ${(rows === 1 ? entity.name : entity.plural).replaceAll(/[-_]/g, " ")} written to ${file}.`],
        };
      } catch (error) {
        const { code, syscall } = error as NodeJS.ErrnoException;
        if (syscall === undefined) throw error;
        throw new OperatorError(`The file '${file}' cannot be written: ${code}.`);
      }
    },
  }));
