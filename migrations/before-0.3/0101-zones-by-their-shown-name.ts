import { domainToUnicode } from "node:url";
import type { Step } from "../step.ts";

/**
 * Zones are found by their name in Unicode as well, like domains (assets §2.1). A zone that a node of the version before stores has none
 * until its next sync.
 */
const step: Step = {
  async up({ sql }) {
    await sql("alter table edge_zones add column label text");
    const { rows } = await sql("select distinct name from edge_zones where name like '%xn--%'");
    const labels = rows.map(({ name }) => ({ name, label: domainToUnicode(String(name)) || name }));
    await sql(
      `update edge_zones z set label = l.label from jsonb_to_recordset($1::jsonb) l (name text, label text) where z.name = l.name`,
      [JSON.stringify(labels)],
    );
  },
};

export default step;
