import { check as automation } from "./automation.ts";
import { check as bulk } from "./bulk.ts";
import { check as money } from "./money.ts";
import type { MutationCheck } from "./mutants.ts";
import { check as people } from "./people.ts";
import { check as work } from "./work.ts";

/** The rules that are checked by mutation, by the module's name. */
export const CHECKS: Readonly<Record<string, MutationCheck>> = { automation, bulk, money, people, work };
