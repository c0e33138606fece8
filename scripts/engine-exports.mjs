/**
 * The TypeScript side of what the engine exports: signatures of functions, structures with the offsets of their fields, constants.
 * It is made from the compiler's own program, so nothing of it can differ from the WebAssembly that is compiled in the same run.
 *
 * What is exported is named in the `exports.ts` of each folder of engine-as/assembly:
 *   a function             a member of `EngineFunctions`, its results unsigned where the engine's are
 *   an `@unmanaged` class  a type for its addresses (each class another type), its `…Fields`, and its size, offsets, `read`, `write`
 *   a numeric `const`      a constant
 * Functions that only tests call are named in engine-as/assembly/kernels.ts: members of `KernelFunctions`, in the debug build only.
 */

/** How the engine's number types are read and written by a DataView, and whether JavaScript has them as bigint. */
const NUMBERS = new Map([
  ['u8', { accessor: 'Uint8' }],
  ['i8', { accessor: 'Int8' }],
  ['u16', { accessor: 'Uint16' }],
  ['i16', { accessor: 'Int16' }],
  ['u32', { accessor: 'Uint32', unsigned: true }],
  ['i32', { accessor: 'Int32' }],
  ['usize', { accessor: 'Uint32', unsigned: true }],
  ['isize', { accessor: 'Int32' }],
  ['u64', { accessor: 'BigUint64', big: true }],
  ['i64', { accessor: 'BigInt64', big: true }],
  ['f32', { accessor: 'Float32' }],
  ['f64', { accessor: 'Float64' }],
]);

const isFunction = (element) => element.declaration?.signature !== undefined;
const isClass = (element) => element.instanceMembers !== undefined;

/** Everything that a file exports by name, its `export *` included. */
function exportsOfFile(file) {
  const named = new Map(file.exports ?? []);
  for (const star of file.exportsStar ?? []) {
    for (const [name, element] of exportsOfFile(star)) named.set(name, element);
  }
  return named;
}

/** The documentation comment that stands right before a declaration, or ''. */
function commentOf({ range, decorators }) {
  const start = decorators?.[0]?.range.start ?? range.start;
  const before = range.source.text.slice(0, start).replace(/(export|abstract|\s)*$/, '');
  if (!before.endsWith('*/')) return '';
  const comment = before.slice(before.lastIndexOf('/**'));
  return comment.startsWith('/**') ? comment : '';
}

const indented = (comment) => (comment ? `  ${comment.replaceAll(/\n\s*/g, '\n   ')}\n` : '');
const typeName = (node) => node?.name?.identifier?.text ?? 'void';

/** Numbers of several bytes are little-endian. */
const ending = (accessor) => (accessor.endsWith('8') ? '' : ', true');

class Seam {
  /** Names of classes whose addresses are given or taken. */
  #pointers = new Set();
  #functions = [];
  #kernels;
  #structures = [];
  #constants = [];

  constructor(entry, kernels, compiled) {
    this.#kernels = [...exportsOfFile(kernels)].map(([name, { declaration }]) =>
      this.#functionOf(name, declaration, 'KernelFunctions'),
    );
    for (const [name, element] of exportsOfFile(entry)) {
      if (isFunction(element)) this.#functions.push(this.#functionOf(name, element.declaration));
      else if (isClass(element)) this.#structures.push(this.#structureOf(name, element));
      else this.#constants.push(constantOf(name, element, compiled));
    }
  }

  /** The TypeScript type of a value of the engine. */
  #typeOf(name) {
    if (name === 'void') return 'void';
    if (name === 'bool') return 'boolean';
    const number = NUMBERS.get(name);
    if (number) return number.big ? 'bigint' : 'number';
    this.#pointers.add(name);
    return name;
  }

  #functionOf(name, declaration, owner = 'EngineFunctions') {
    const parameters = declaration.signature.parameters.map((parameter) => ({
      name: parameter.name.text,
      type: this.#typeOf(typeName(parameter.type)),
    }));
    const result = typeName(declaration.signature.returnType);
    const type = this.#typeOf(result);
    const list = parameters.map((parameter) => `${parameter.name}: ${parameter.type}`).join(', ');
    const names = parameters.map((parameter) => parameter.name).join(', ');
    let bound = `raw.${name} as ${owner}['${name}']`;
    if (type === 'boolean') bound = `(${list}) => raw.${name}!(${names}) !== 0`;
    else if (this.#pointers.has(result)) bound = `(${list}) => (raw.${name}!(${names}) >>> 0) as ${type}`;
    else if (NUMBERS.get(result)?.unsigned) bound = `(${list}) => raw.${name}!(${names}) >>> 0`;
    return {
      signature: `${indented(commentOf(declaration))}  ${name}(${list}): ${type};\n`,
      bound: `    ${name}: ${bound},\n`,
    };
  }

  #structureOf(name, prototype) {
    const structure = prototype.program.resolver.resolveClass(prototype, null);
    const fields = [];
    for (const [field, member] of structure.members ?? []) {
      if (!member.fieldDeclaration) continue;
      const declared = typeName(member.fieldDeclaration.type);
      const type = this.#typeOf(declared);
      const { accessor, big } = NUMBERS.get(declared === 'bool' ? 'u8' : declared) ?? NUMBERS.get('usize');
      const offset = member.instance.memoryOffset;
      fields.push({ field, offset, declared, type: big ? 'number' : type, accessor, big, member });
    }
    const read = ({ field, offset, type, accessor, big }) => {
      const value = `memory.get${accessor}(at + ${offset}${ending(accessor)})`;
      if (big) return `    ${field}: Number(${value}),\n`;
      if (type === 'boolean') return `    ${field}: ${value} !== 0,\n`;
      return `    ${field}: ${value}${type === 'number' ? '' : ` as ${type}`},\n`;
    };
    const write = ({ field, offset, type, accessor, big }) => {
      const value = big ? `BigInt(fields.${field})` : type === 'boolean' ? `fields.${field} ? 1 : 0` : `fields.${field}`;
      return `    memory.set${accessor}(at + ${offset}, ${value}${ending(accessor)});\n`;
    };
    this.#pointers.add(name);
    const bytes = structure.nextMemoryOffset;
    const interfaceFields = fields.map(
      ({ field, type, member }) => `${indented(commentOf(member.fieldDeclaration))}  ${field}: ${type};\n`,
    );
    const comment = commentOf(prototype.declaration);
    return `${comment}${comment && '\n'}export interface ${name}Fields {
${interfaceFields.join('')}}

export const ${name} = {
  bytes: ${bytes},
  offset: { ${fields.map(({ field, offset }) => `${field}: ${offset}`).join(', ')} },
  read: (memory: DataView, at: number): ${name}Fields => ({
${fields.map(read).join('')}  }),
  write: (memory: DataView, at: number, fields: Readonly<${name}Fields>): void => {
${fields.map(write).join('')}  },
  at: (address: number): ${name} => address as ${name},
} as const satisfies Structure<${name}Fields, ${name}>;
`;
  }

  toString() {
    const pointers = [...this.#pointers].sort();
    return `/** Made by scripts/engine-exports.mjs from engine-as/assembly whenever the project is built: do not edit. */

declare const pointee: unique symbol;
/** An address in the engine's memory where a structure stands. */
export type Pointer<Name extends string> = number & { readonly [pointee]: Name };
${pointers.map((name) => `export type ${name} = Pointer<'${name}'>;\n`).join('')}
/** A structure that both sides read: its size and the offsets of its fields, in bytes. */
export interface Structure<Fields, At extends number = number> {
  readonly bytes: number;
  readonly offset: { readonly [Field in keyof Fields]: number };
  read(memory: DataView, at: number): Fields;
  write(memory: DataView, at: number, fields: Readonly<Fields>): void;
  /** An address where such a structure stands. */
  at(address: number): At;
}

${this.#constants.join('\n')}
${this.#structures.join('\n')}
/** The functions of the engine; addresses are bytes of its memory. */
export interface EngineFunctions {
${this.#functions.map(({ signature }) => signature).join('')}}

/** The functions of an instance, with results as the engine means them: WebAssembly itself knows only signed numbers. */
export function engineFunctions(exports: WebAssembly.Exports): EngineFunctions {
  const raw = exports as Record<string, (...parameters: unknown[]) => number>;
  return {
${this.#functions.map(({ bound }) => bound).join('')}  };
}

/** What the debug build exports besides, for tests. */
export interface KernelFunctions extends EngineFunctions {
${this.#kernels.map(({ signature }) => signature).join('')}}

export function kernelFunctions(exports: WebAssembly.Exports): KernelFunctions {
  const raw = exports as Record<string, (...parameters: unknown[]) => number>;
  return {
    ...engineFunctions(exports),
${this.#kernels.map(({ bound }) => bound).join('')}  };
}
`;
  }
}

function constantOf(name, element, { module, binaryen }) {
  const type = element.type?.toString();
  const known = NUMBERS.get(type);
  if (!known) throw new Error(`${name} is ${type}: only numbers can be constants of both sides`);
  const { init } = binaryen.getGlobalInfo(module.getGlobal(element.internalName));
  let { value } = binaryen.getExpressionInfo(init);
  if (typeof value !== 'number') throw new Error(`${name} is no constant of 32 bits or a float`);
  if (known.unsigned) value >>>= 0;
  const comment = commentOf(element.declaration);
  return `${comment}${comment && '\n'}export const ${name} = ${value};\n`;
}

/**
 * The text of bindings/engine/exports.ts for a program, and the module made of it. `entry` and `kernels`: files of the program that name
 * what the host and what tests may call.
 */
export function engineExports(program, compiled, entry, kernels) {
  const fileOf = (name) => program.filesByName.get(name.replace(/\.ts$/, ''));
  return new Seam(fileOf(entry), fileOf(kernels), compiled).toString();
}
