import { type ModelAttributes, type ModelStatic, Sequelize, type Model as SequelizeModel, DataTypes as types } from "sequelize";
import { currentRequest } from "../request/context.ts";
import { joinTransaction } from "./connection/transaction.ts";
import { type Model, readable } from "./model.ts";

/**
 * Connects Sequelize to the current request: every model call takes part in the request's one transaction. Sequelize has no other
 * connection, so using a model outside a request fails.
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

/** The one Sequelize of this process. It never opens its own connection. */
export const sequelize = new Sequelize({
  dialect: "postgres",
  logging: false,
  define: { timestamps: false, freezeTableName: true },
});
const manager = (sequelize as unknown as { connectionManager: { getConnection: () => Promise<never> } }).connectionManager;
manager.getConnection = () => Promise.reject(new Error("a model was used outside of a request"));

/** Sequelize's types for those of PostgreSQL. Any other is text: as a `Date`, an instant would lose its microseconds. */
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

const known = new WeakMap<Model, ModelStatic<SequelizeModel>>();

/** The Sequelize model of a table. It omits unreadable columns, so no query of it can name them. */
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
