import t from 'tap';
import { fieldsOf, formattedText, hit, hitText, termsOf, viewOf } from './hit-case.js';
import type { MatchTerms } from './match-terms.js';

const typo = (text: string, typos: string[], prefix = false): Partial<MatchTerms> => ({
  words: [{ text, prefix, known: true, typos, positions: [0] }],
});

t.test('matches are highlighted', async (t) => {
  const cases: [name: string, terms: Partial<MatchTerms>, text: string, expected: string][] = [
    ['prefix', termsOf('wor'), 'Worldly words', '<em>Wor</em>ldly <em>wor</em>ds'],
    ['whole word', termsOf('wor '), 'Worldly words', 'Worldly words'],
    [
      'prefix with a typo variant',
      typo('world', ['words'], true),
      'Worldly words of the world',
      '<em>World</em>ly <em>words</em> of the <em>world</em>',
    ],
    ['typo in a prefix', typo('automibil', ['automobile'], true), 'automobile', '<em>automobil</em>e'],
    ['typed longer than the word found', typo('automobille', ['automobile'], true), 'My automobile', 'My <em>automobile</em>'],
    [
      'joined words',
      { words: [...termsOf('air port ').words, { text: 'airport', prefix: false, known: true, typos: [], positions: [0, 1] }] },
      'airport, air-port',
      '<em>airport</em>, <em>air</em>-<em>port</em>',
    ],
    ['letter that folds to two', termsOf('oeuv'), 'œuvre', '<em>œuv</em>re'],
    ['half of a letter that folds to two', termsOf('o'), 'œuvre', '<em>œ</em>uvre'],
    ['number with a point', termsOf('12 5'), '12.5', '<em>12</em>.<em>5</em>'],
    ['prefix over letters with marks', termsOf('world'), 'Ŵôřlḑôle', '<em>Ŵôřlḑ</em>ôle'],
    ['typo', typo('hello', ['helo']), 'helo there', '<em>helo</em> there'],
    ['phrase', termsOf('"the world"'), 'split the world between', 'split <em>the world</em> between'],
    [
      'phrase and word',
      termsOf('those "and those"'),
      'between those who and those',
      'between <em>those</em> who <em>and those</em>',
    ],
    ['phrase over other separators', termsOf('"fish chips"'), 'Fish & "chips" x', '<em>Fish & "chips</em>" x'],
    ['words of a phrase alone', termsOf('"those who"'), 'who and those', 'who and those'],
    [
      'split word',
      { ...typo('newyork', []), sequences: [{ words: ['new', 'york'], positions: [0] }] },
      'in new york, New  York, newyork',
      'in <em>new york</em>, <em>New  York</em>, <em>newyork</em>',
    ],
    [
      'phrase with a gap',
      { sequences: [{ words: ['boat', null, 'house'], positions: [0, 2] }] },
      'a boat the house',
      'a <em>boat the house</em>',
    ],
    [
      'phrase with a gap of nothing',
      { sequences: [{ words: ['boat', null, 'house'], positions: [0, 2] }] },
      'boat house',
      '<em>boat house</em>',
    ],
    [
      'phrase with a gap of two',
      { sequences: [{ words: ['boat', null, 'house'], positions: [0, 2] }] },
      'boat in the house',
      'boat in the house',
    ],
    ['stop word typed', { stopWords: ['the'] }, 'The theory of the', '<em>The</em> theory of <em>the</em>'],
    ['stop word typed before a prefix of it', { ...termsOf('th'), stopWords: ['the'] }, 'the they', '<em>the</em> <em>th</em>ey'],
    ['Han', termsOf('大卫'), '大卫 大卫', '<em>大卫</em> <em>大卫</em>'],
    ['mark after a prefix stays outside', termsOf('cafe'), 'cafe\u0301 x', '<em>cafe</em>\u0301 x'],
    ['mark inside a whole word', termsOf('cafe '), 'cafe\u0301 x', '<em>cafe\u0301</em> x'],
    ['ligature', termsOf('fish '), 'ﬁsh', '<em>ﬁsh</em>'],
    ['dotted capital', termsOf('istan'), 'İstanbul', '<em>İstan</em>bul'],
    ['beside emoji', termsOf('fox'), '🦊 fox 🦊fox', '🦊 <em>fox</em> 🦊fox'],
    ['placeholder', {}, 'nothing at all', 'nothing at all'],
  ];
  for (const [name, terms, text, expected] of cases) t.equal(formattedText(text, terms), expected, name);
});

t.test('a text with escapes keeps them around the tags', async (t) => {
  const text = 'say "fox" \\ tab\t new\nline \u0001 / 🦊 fox';
  const tags = { attributesToHighlight: ['t'], highlightPreTag: '"<', highlightPostTag: '\\>' };
  t.equal(formattedText(text, termsOf('fox '), tags), text.replaceAll('fox', '"<fox\\>'));
  const json = '{"t":"\\u0066ox \\/ \\ud83e\\udd8a fox"}';
  const formatted = JSON.parse(hitText(viewOf(['t']), json, { attributesToHighlight: ['t'] }, termsOf('fox ')))._formatted;
  t.equal(formatted.t, '<em>fox</em> / 🦊 <em>fox</em>');
});

t.test('words unknown to the index match only in attributes that are not searchable', async (t) => {
  const view = viewOf(['s', 'n'], { searchableAttributes: ['s'] });
  const words = [{ text: 'wor', prefix: true, known: false, typos: [], positions: [0] }];
  const { _formatted } = hit(view, { s: 'words', n: 'words' }, { attributesToHighlight: ['*'] }, { words });
  t.same(_formatted, { s: 'words', n: '<em>wor</em>ds' });
});

t.test('texts are split by separators and dictionary of the index, and stop words match', async (t) => {
  const view = viewOf(['t'], { separatorTokens: ['&sep'], nonSeparatorTokens: ['#'], dictionary: ['c#'], stopWords: ['mac'] });
  const { _formatted } = hit(view, { t: 'mac&sepcheese c#' }, { attributesToHighlight: ['t'] }, termsOf('mac cheese c'));
  t.same(_formatted, { t: '<em>mac</em>&sep<em>cheese</em> <em>c</em>#' });
});

t.test('which fields are formatted', async (t) => {
  const document = { id: 852, a: 'pésti', b: [{ n: 'x', g: 2 }] };
  const fields = fieldsOf(document);
  const shown = (displayedAttributes: string[]) => viewOf(fields, { displayedAttributes });
  const all = viewOf(fields);
  const cases: [view: ReturnType<typeof viewOf>, body: object, expected: object][] = [
    [all, { attributesToHighlight: ['id'] }, { ...document, _formatted: { id: '852', a: 'pésti', b: [{ n: 'x', g: '2' }] } }],
    [
      all,
      { attributesToRetrieve: ['b.n'], attributesToHighlight: ['b.g'] },
      { b: [{ n: 'x' }], _formatted: { b: [{ n: 'x', g: '2' }] } },
    ],
    [
      shown(['id', 'a']),
      { attributesToHighlight: ['*'] },
      { id: 852, a: 'pésti', _formatted: { id: '852', a: '<em>pésti</em>' } },
    ],
    [shown(['id', 'a']), { attributesToRetrieve: ['id'], attributesToHighlight: ['*'] }, { id: 852, _formatted: { id: '852' } }],
    [shown(['id', 'a']), { attributesToRetrieve: ['c'], attributesToHighlight: ['*'] }, {}],
    [shown(['id']), { attributesToHighlight: ['a'] }, { id: 852 }],
    [shown(['id']), { attributesToRetrieve: ['a'], attributesToCrop: ['id'] }, { _formatted: { id: '852' } }],
    [all, { attributesToRetrieve: [], attributesToHighlight: ['b.n'] }, { _formatted: { b: [{ n: 'x' }] } }],
    [all, { attributesToRetrieve: ['a'], attributesToHighlight: [] }, { a: 'pésti' }],
    [all, { attributesToRetrieve: ['a'], attributesToHighlight: ['nope'], attributesToCrop: ['nope:3'] }, { a: 'pésti' }],
    [all, { attributesToRetrieve: [], attributesToHighlight: ['*'] }, {}],
  ];
  for (const [view, body, expected] of cases)
    t.same(hit(view, document, body, termsOf('pesti ')), expected, JSON.stringify(body));
  const known = viewOf([...fields, 'other']);
  t.same(
    hit(known, { id: 1, a: 'x' }, { attributesToHighlight: ['other'] }),
    { id: 1, a: 'x', _formatted: { id: '1', a: 'x' } },
    'a known field that this document lacks',
  );
});

t.test('nested selections in _formatted drop scalars and empty objects on the way', async (t) => {
  const document = { p: [['x', { n: 'd' }], 'y', { m: 7 }], s: null, e: {}, f: { g: 1.5, h: [true, null, 'x'] } };
  const view = viewOf(['p', 'p.n', 'p.m', 's', 's.v', 'e', 'f', 'f.g', 'f.h']);
  const formatted = (names: string[]) =>
    hit(view, document, { attributesToRetrieve: [], attributesToHighlight: names })._formatted;
  t.same(formatted(['p.n']), { p: [[{ n: 'd' }]] });
  t.same(formatted(['s.v', 'e']), { e: {} });
  t.same(formatted(['f']), { f: { g: '1.5', h: [true, null, 'x'] } });
  t.same(formatted(['p.m', 'f.g']), { p: [{ m: '7' }], f: { g: '1.5' } });
});

t.test('numbers keep their text', async (t) => {
  const json = '{"id":9007199254740993,"x":10.0,"y":1e3,"z":[-0.10]}';
  const view = viewOf(['id', 'x', 'y', 'z']);
  t.equal(
    hitText(view, json, { attributesToHighlight: ['x'] }, termsOf('10 ')),
    '{"id":9007199254740993,"x":10.0,"y":1e3,"z":[-0.10],' +
      '"_formatted":{"id":"9007199254740993","x":"<em>10</em>.0","y":"1e3","z":["-0.10"]}}',
  );
  t.equal(hitText(view, ` {"id" : 1 , "x":\t10.0 } `, { attributesToRetrieve: ['x'] }), '{"x":10.0}');
});

t.test('positions of matches', async (t) => {
  const document = {
    id: 7,
    title: 'Café racer café',
    parts: [{ name: 'bell' }, { name: 'café lamp' }],
    year: 2024,
    words: ['tea', 'the café', 'café café'],
    on: true,
    nest: {
      a: [
        ['fox', 'x'],
        ['y', ['red fox']],
      ],
    },
    escaped: '"🦊" café',
  };
  const view = viewOf(fieldsOf(document));
  const positions = (q: string, terms: Partial<MatchTerms> = termsOf(q), body: object = {}) =>
    hit(view, document, { attributesToRetrieve: [], showMatchesPosition: true, ...body }, terms)._matchesPosition;
  t.same(positions('cafe'), {
    title: [
      { start: 0, length: 5 },
      { start: 12, length: 5 },
    ],
    'parts.name': [{ start: 0, length: 5, indices: [1] }],
    words: [
      { start: 4, length: 5, indices: [1] },
      { start: 0, length: 5, indices: [2] },
      { start: 6, length: 5, indices: [2] },
    ],
    escaped: [{ start: 7, length: 5 }],
  });
  t.same(positions('caf'), {
    title: [
      { start: 0, length: 3 },
      { start: 12, length: 3 },
    ],
    'parts.name': [{ start: 0, length: 3, indices: [1] }],
    words: [
      { start: 4, length: 3, indices: [1] },
      { start: 0, length: 3, indices: [2] },
      { start: 6, length: 3, indices: [2] },
    ],
    escaped: [{ start: 7, length: 3 }],
  });
  t.same(positions('"cafe racer"'), { title: [{ start: 0, length: 11 }] });
  t.same(positions('20'), { year: [{ start: 0, length: 2 }] });
  t.same(positions('true'), {});
  t.same(positions('fox'), {
    'nest.a': [
      { start: 0, length: 3, indices: [0, 0] },
      { start: 4, length: 3, indices: [1, 1, 0] },
    ],
  });
  t.same(positions('', {}), {});
  t.same(
    hit(viewOf(fieldsOf(document), { displayedAttributes: ['id'] }), document, { showMatchesPosition: true }, termsOf('cafe')),
    {
      id: 7,
      _matchesPosition: {},
    },
  );
  t.same(
    hit(
      view,
      document,
      {
        attributesToRetrieve: ['id'],
        showMatchesPosition: true,
        attributesToHighlight: ['title'],
        attributesToCrop: ['title:1'],
      },
      termsOf('racer '),
    ),
    { id: 7, _formatted: { id: '7', title: '…<em>racer</em>…' }, _matchesPosition: { title: [{ start: 6, length: 5 }] } },
    'positions are in the original text',
  );
});

t.test('locales of the request or of the first rule that matches the path', async (t) => {
  const document = { t: 'Ostern', de: 'Bahnhofskiosk' };
  const view = viewOf(['t', 'de'], { localizedAttributes: [{ attributePatterns: ['d*'], locales: ['deu'] }] });
  const plain = hit(view, document, { attributesToHighlight: ['*'] }, termsOf('bahn'));
  t.same(plain._formatted, { t: 'Ostern', de: '<em>Bahn</em>hofskiosk' });
});

t.test('for prefix matches the longest typed part is highlighted', async (t) => {
  const word = (text: string, positions: number[]) => ({ text, prefix: true, known: true, typos: [], positions });
  const words = [word('s', [2]), word('os', [1, 2]), word('sos', [0, 1, 2])];
  t.equal(formattedText('sos so sosa osx', { words }), '<em>sos</em> <em>s</em>o <em>sos</em>a <em>os</em>x');
});

t.test('when texts are segmented differently than at indexing, prefixes match only words of the index', async (t) => {
  const terms: Partial<MatchTerms> = { ...termsOf('bo'), indexed: ['book'] };
  t.equal(formattedText('book bookshelf', terms), '<em>bo</em>ok bookshelf');
  const view = viewOf(['t'], { searchableAttributes: ['title'] });
  const elsewhere = hit(view, { t: 'book bookshelf' }, { attributesToHighlight: ['t'] }, terms);
  t.same(elsewhere._formatted, { t: '<em>bo</em>ok <em>bo</em>okshelf' }, 'any word in attributes that are not searched');
});
