import fs from 'node:fs';
import path from 'node:path';
import { SegmentBuilder } from '../../../../bindings/engine/builder.js';
import { type BuilderConfig, builderConfig, GEO, hasColumn } from '../../../../bindings/engine/builder-config.js';
import {
  SECTION_GEO,
  SEGMENT_VERSION,
  type SegmentHeaderFields,
  TOKENIZER_VERSION,
} from '../../../../bindings/engine/exports.js';
import type { IndexSettings, IndexView, SegmentRef } from '../../../../bindings/index-types.js';
import { covers } from '../../../../bindings/patterns.js';
import type { StoredSegment } from '../../record.js';
import { SECTIONS } from '../../section-kinds.js';
import type { Part } from '../../settings/settings.js';
import type { BuildResources } from '../build-resources.js';
import { StoredMembers } from '../documents/reserved.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import { type Section, type SegmentSections, sectionsOfFile, sectionsOfPieces, writeSections } from './segment-sections.js';

export interface ReviseInput {
  view: IndexView;
  settings: IndexSettings;
  /** The parts of segments to build anew; vectors are never among them. */
  parts: readonly Part[];
}

const NO_KEY = new Uint8Array();

/** The columns that new settings add, keep and drop. */
export class ColumnChange {
  readonly #before: BuilderConfig;
  readonly #after: BuilderConfig;
  readonly #fields: readonly string[];

  constructor(before: IndexSettings, after: IndexSettings, fields: readonly string[]) {
    this.#before = builderConfig(before, [], '');
    this.#after = builderConfig(after, [], '');
    this.#fields = fields;
  }

  /** Whether coordinates start or stop being indexed, which also changes the values of their columns. */
  get movesPoints(): boolean {
    return this.#before.geo !== this.#after.geo;
  }

  get added(): string[] {
    return this.#fields.filter((field) => hasColumn(this.#after, field) && !this.keeps(field));
  }

  /** Whether the existing column of a field is still right. */
  keeps(field: string): boolean {
    if (this.movesPoints && covers(GEO, field)) return false;
    return hasColumn(this.#before, field) && hasColumn(this.#after, field);
  }

  /** Whether no column is added or dropped. */
  get isNone(): boolean {
    return !this.movesPoints && this.#fields.every((field) => hasColumn(this.#before, field) === hasColumn(this.#after, field));
  }
}

/**
 * Makes new segments for new settings: only the parts that the settings change are built from the documents, everything else is
 * copied from the files. Documents keep their local numbers, including deleted ones. null: a segment has another version of the
 * format or the tokenizer, and must be rebuilt from its documents.
 * @throws {ApiError} when stored documents do not fit the settings
 */
export function revise(input: ReviseInput, resources: BuildResources): StoredSegment[] | null {
  const { view } = input;
  const { folder } = resources.writerOptions;
  const revision = new Revision(input, resources);
  const made: StoredSegment[] = [];
  try {
    for (const [index, ref] of view.segments.entries()) {
      const fd = fs.openSync(path.join(folder, ref.file), 'r');
      try {
        const sources = sectionsOfFile(fd);
        const segment = isCopied(sources) ? revision.make(index, ref, sources) : null;
        if (!segment) return discarded(made, folder);
        made.push(segment);
      } finally {
        fs.closeSync(fd);
      }
    }
    return made;
  } catch (error) {
    discarded(made, folder);
    throw error;
  }
}

function discarded(segments: readonly StoredSegment[], folder: string): null {
  for (const { file } of segments) fs.rmSync(path.join(folder, file), { force: true });
  return null;
}

function isCopied({ header, sections }: SegmentSections): boolean {
  if (header.version !== SEGMENT_VERSION || header.tokenizerVersion !== TOKENIZER_VERSION) return false;
  return sections.every(({ kind }) => SECTIONS.has(kind));
}

/** Whether a section belongs to the column of one field. */
const isOfField = (kind: number) => SECTIONS.get(kind)?.part === 'columns' && kind !== SECTION_GEO;

class Revision {
  readonly #stored: StoredDocuments;
  readonly #config: BuilderConfig;
  readonly #columns: ColumnChange;
  readonly #reserved: StoredMembers;
  readonly #words: boolean;
  /** Whether documents are read, to build something from them or to check them. */
  readonly #reads: boolean;
  readonly #total: number;
  #done = 0;

  constructor(
    readonly input: ReviseInput,
    readonly resources: BuildResources,
  ) {
    const { view, settings, parts } = input;
    this.#stored = new StoredDocuments(resources.open(view));
    this.#columns = new ColumnChange(view.settings, settings, view.fields);
    this.#words = parts.includes('words');
    const { added, movesPoints } = this.#columns;
    const whole = builderConfig(settings, view.fields, view.primaryKey ?? '');
    this.#config = {
      ...whole,
      searchable: this.#words ? whole.searchable : [],
      columnsUnder: added,
      columnPatterns: [],
      geo: movesPoints && whole.geo,
      only: { words: this.#words, documents: false },
    };
    this.#reserved = new StoredMembers(resources.instance, settings);
    this.#reads = this.#words || added.length > 0 || movesPoints;
    this.#total = view.segments.reduce((sum, { docCount }) => sum + docCount, 0);
  }

  make(index: number, ref: SegmentRef, old: SegmentSections): StoredSegment {
    const { instance, writerOptions } = this.resources;
    const builder = this.#reads ? new SegmentBuilder(instance, this.#config, writerOptions.provideWordList) : null;
    try {
      if (builder) this.#add(builder, index);
      const fresh = builder ? sectionsOfPieces(builder.finishInMemory().pieces) : null;
      return this.#write(ref, this.#joined(old, fresh));
    } finally {
      builder?.dispose();
    }
  }

  #add(builder: SegmentBuilder, index: number): void {
    for (const { location, isLive } of this.#stored.all(index)) {
      const json = this.#stored.read(location);
      if (isLive) this.#reserved.check(this.#stored.key(location), json);
      builder.add(location.internalId, NO_KEY, json);
      this.resources.progress('indexing documents', this.#done++, this.#total);
    }
  }

  #joined(old: SegmentSections, fresh: SegmentSections | null): SegmentSections {
    const header: SegmentHeaderFields = { ...old.header };
    if (this.#words && fresh) header.termCount = fresh.header.termCount;
    const sections = [
      ...old.sections.filter((each) => this.#isKept(each)),
      ...(fresh?.sections ?? []).filter((each) => this.#isNew(each)),
    ];
    return { header, sections };
  }

  #isKept({ kind, field }: Section): boolean {
    if (isOfField(kind)) return this.#columns.keeps(this.input.view.fields[field] as string);
    if (kind === SECTION_GEO) return !this.#columns.movesPoints;
    return !(this.#words && SECTIONS.get(kind)?.part === 'words');
  }

  /** Whether the column of a section must be built. A kept column may be nested below a field that is new. */
  #isNew({ kind, field }: Section): boolean {
    return !isOfField(kind) || !this.#columns.keeps(this.input.view.fields[field] as string);
  }

  #write({ docCount, liveCount }: SegmentRef, sections: SegmentSections): StoredSegment {
    const { folder, nextId } = this.resources.writerOptions;
    const id = nextId();
    const file = `${id}.seg`;
    const target = path.join(folder, file);
    const fd = fs.openSync(target, 'w');
    try {
      const { residentLength, fileLength, rawBytes } = writeSections(this.resources.instance, fd, sections);
      return { id, file, docCount, liveCount, residentLength, fileLength, rawBytes };
    } catch (error) {
      fs.rmSync(target, { force: true });
      throw error;
    } finally {
      fs.closeSync(fd);
    }
  }
}
