import { type ModelAttributes, type ModelStatic, Sequelize, type Model as SequelizeModel, DataTypes as types } from "sequelize";
import { currentRequest } from "../request/context.ts";
import { joinTransaction } from "./connection/transaction.ts";
import type { Model } from "./model.ts";

/**
 * Sequelize's way into the running request: every model call takes part in the request's one transaction. There is no other
 * connection behind it, so a model used outside of a request finds nothing to talk to.
 */
const sharedTransaction = {
  bind: <T>(work: T): T => work,
  run: <T>(work: (context: object) => T): T => work({}),
  get(key: string): object | undefined {
    const store = key === "transaction" ? currentRequest() : undefined;
    if (!store) return undefined;
    return { id: store.requestId, connection: joinTransaction(store).connection, options: {} };
  },
};
Sequelize.useCLS(sharedTransaction);

/** The one Sequelize of this process. It never opens a connection of its own. */
export const sequelize = new Sequelize({
  dialect: "postgres",
  logging: false,
  define: { timestamps: false, freezeTableName: true },
});
const manager = (sequelize as unknown as { connectionManager: { getConnection: () => Promise<never> } }).connectionManager;
manager.getConnection = () => Promise.reject(new Error("a model was used outside of a request"));

/** Sequelize's word for a type of PostgreSQL. What is left out is text to it: an instant would lose its microseconds as a `Date`. */
const TYPES: Readonly<Record<string, ModelAttributes[string]>> = {
  uuid: types.UUID,
  integer: types.INTEGER,
  boolean: types.BOOLEAN,
  jsonb: types.JSONB,
  date: types.DATEONLY,
  "double precision": types.DOUBLE,
  "text[]": types.ARRAY(types.TEXT),
  "uuid[]": types.ARRAY(types.UUID),
};

/** The columns of a model that anything may read: no secret, sealed or hashed, and nothing PostgreSQL keeps for itself. */
export const readable = ({ shown, columns }: Model): string[] => shown.filter((name) => !columns[name]?.facts.secret);

const known = new WeakMap<Model, ModelStatic<SequelizeModel>>();

/** The Sequelize model of a table. Columns that nothing may read are not in it, so no query of its can name them. */
export function sequelizeModel(model: Model): ModelStatic<SequelizeModel> {
  let defined = known.get(model);
  if (!defined) {
    const attributes = readable(model).map((name) => {
      const { type = "text", nullable } = model.columns[name]?.facts ?? {};
      return [name, { type: TYPES[type] ?? types.TEXT, allowNull: nullable, primaryKey: name === "id" }];
    });
    defined = sequelize.define(model.table, Object.fromEntries(attributes) as ModelAttributes, { tableName: model.table });
    known.set(model, defined);
  }
  return defined;
}
