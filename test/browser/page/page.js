/**
 * A search page as frontends write it, with the InstantSearch library and its adapter. It is JavaScript because the types of
 * instantsearch.js have a default export only for bundlers. The address names the server and a key: `?server=URL&key=KEY`.
 */
import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import instantsearch from 'instantsearch.js';
import { configure, hits, pagination, refinementList, searchBox, sortBy, stats } from 'instantsearch.js/es/widgets';

/** Numbers shown on either side of the present page. */
const ALL_PAGES = 100;

const address = new URLSearchParams(location.search);
const { searchClient } = instantMeiliSearch(address.get('server'), address.get('key'), { finitePagination: true });
const search = instantsearch({ indexName: 'books', searchClient });

search.addWidgets([
  configure({ hitsPerPage: 3 }),
  searchBox({ container: '#box' }),
  sortBy({
    container: '#sort',
    items: [
      { label: 'Best first', value: 'books' },
      { label: 'Cheapest first', value: 'books:price:asc' },
      { label: 'Dearest first', value: 'books:price:desc' },
    ],
  }),
  stats({ container: '#count', templates: { text: ({ nbHits }) => String(nbHits) } }),
  refinementList({ container: '#genre', attribute: 'genre', searchable: true }),
  refinementList({ container: '#format', attribute: 'format' }),
  hits({
    container: '#hits',
    templates: {
      item: (hit, { html, components }) => html`<p data-id=${hit.id}>${components.Highlight({ hit, attribute: 'title' })}</p>`,
    },
  }),
  pagination({ container: '#pages', padding: ALL_PAGES }),
]);
search.start();
