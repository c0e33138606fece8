import type { TokenizerConfig } from '../../bindings/engine/tokenizer.js';

/**
 * [text, its tokens, settings]. In the tokens ` · ` stands between two, ˢ ᴴ ˣ after a soft or hard separator or a stop word, ␠ for a
 * space, ∅ for an empty lemma, J(…) for the conjoining form of Korean syllables.
 */
export type TokenCase = [text: string, tokens: string, settings?: Partial<TokenizerConfig> & { locales?: string[] }];

export const SPACED: TokenCase[] = [
  // Latin
  ['Crème Brûlée', 'creme · ␠ˢ · brulee'],
  ["L'été à Zürich", "l · 'ˢ · ete · ␠ˢ · a · ␠ˢ · zurich"],
  ['don’t stop', "don · 'ˢ · t · ␠ˢ · stop"],
  ['hello, world', 'hello · ,␠ᴴ · world'],
  ['hello,world', 'hello · ,ˢ · world'],
  ['A. B.C', 'a · .␠ᴴ · b · .ˢ · c'],
  ['end.\nNext', 'end · .ˢ · \nˢ · next'],
  ['Wait… what', 'wait · ... · ␠ˢ · what'],
  ['really?! yes', 'really · ?ᴴ · !ᴴ · ␠ˢ · yes'],
  ['U.S.A. is', 'u · .ˢ · s · .ˢ · a · .␠ᴴ · is'],
  ['x;y (z) [w]', 'x · ;ᴴ · y · ␠ˢ · (ˢ · z · )ˢ · ␠ˢ · [ˢ · w · ]ˢ'],
  ['“q” a—b', '“ˢ · q · ”ˢ · ␠ˢ · a · —ˢ · b'],
  ['C++ & C#', 'c · +ˢ · +ˢ · ␠ˢ · &ˢ · ␠ˢ · c · #ˢ'],
  ['user_name@mail.example', 'user · _ˢ · name · @ˢ · mail · .ˢ · example'],
  ['wi-fi/router', 'wi · -ˢ · fi · /ˢ · router'],
  ['https://ex.org/a?b=1', 'https · :ˢ · /ˢ · /ˢ · ex · .ˢ · org · /ˢ · a · ?ᴴ · b=1'],
  ['price: $9.99', 'price · :ˢ · ␠ˢ · $9 · .ˢ · 99'],
  ['a=b|c~d^e<f>', 'a=b|c~d^e<f>'],
  ['50% off', '50 · %ˢ · ␠ˢ · off'],
  ['1,000.50', '1 · ,ˢ · 000 · .ˢ · 50'],
  ['+33 6', '+ˢ · 33 · ␠ˢ · 6'],
  ['10:30', '10 · :ˢ · 30'],
  ['v2.0-beta', 'v2 · .ˢ · 0 · -ˢ · beta'],
  ['camelCase HTTPServer', 'camelcase · ␠ˢ · httpserver'],
  ['co\u2011op', 'co\u2010op'],
  ['foo\u00A0bar', 'foo␠bar'],
  ['foo\u200Bbar', 'foo\u200Bbar'],
  ['1\u202F000', '1␠000'],
  ['a\u0007b', 'ab'],
  ['a\u0000b', 'a · ∅ · b'],
  ['Straße GROẞ', 'straße · ␠ˢ · groß'],
  ['Œuvre Ægir', 'oeuvre · ␠ˢ · aegir'],
  ['Đặng Nguyễn', 'dang · ␠ˢ · nguyen'],
  ['Işık İZMİR', 'isik · ␠ˢ · izmir'],
  ['Łódź Ørsted', 'łodz · ␠ˢ · ørsted'],
  ['ﬁne ﬂow', 'fine · ␠ˢ · flow'],
  ['№5 ™ m² ½', 'no5 · ␠ˢ · tm · ␠ˢ · m2 · ␠ˢ · 1⁄2'],
  ['Louis Ⅷ', 'louis · ␠ˢ · viii'],
  ['Ⅷ', 'VIII'],
  ['5㎏ ①②', '5kg · ␠ˢ · 12'],
  ['cafe\u0301', 'cafe'],
  ['hello😀world', 'hello😀world'],
  ['I ❤\uFE0F it', 'i · ␠ˢ · ❤ · ␠ˢ · it'],
  ['❤\uFE0F', '❤\uFE0F'],
  ['Ｔｏｋｙｏ！ok', 'Tokyo · !ᴴ · ok'],
  ['＂a b＂', '"ˢ · a · ␠ˢ · b · "ˢ'],
  ['l´eau', 'l␠eau'],
  ['≠ x', '= · ␠ˢ · x'],
  // Cyrillic, Greek, Georgian, Armenian, Hebrew, Indic
  ['Привет, Мир!', 'привет · ,␠ᴴ · мир · !ᴴ'],
  ['Ёлка Йод', 'е\u0308лка · ␠ˢ · и\u0306од'],
  ['«Мир»', '«ˢ · мир · »ˢ'],
  ['слово\u00A0два', 'слово · ␠ˢ · два'],
  ['ΟΔΥΣΣΕΥΣ Αθήνα', 'οδυσσευσ · ␠ˢ · αθηνα'],
  ['Τι κάνεις;', 'τι · ␠ˢ · κανεισ · ;ᴴ'],
  ['Երևան Քաղաք։', 'երեւան · ␠ˢ · քաղաք · ։ᴴ'],
  ['שָׁלוֹם צה״ל', 'שלום · ␠ˢ · צה · ״ˢ · ל'],
  ['ברק־אור', 'ברק · ־ˢ · אור'],
  ['नमस्ते दुनिया।', 'नमस्ते · ␠ˢ · दुनिया · ।ᴴ'],
  // Arabic script
  ['البيت الكبير', 'ال · بيت · ␠ˢ · ال · كبير'],
  ['الكِتَابُ الجَدِيد', 'ال · كتاب · ␠ˢ · ال · جديد'],
  ['مدرســة أحمد', 'مدرسه · ␠ˢ · احمد'],
  ['أل', 'ال', { locales: ['ara'] }],
  ['الـ', 'ال · ∅', { locales: ['ara'] }],
  ['البيت', 'البيت', { locales: ['eng'] }],
  ['كتاب علي', 'كتاب · ␠ˢ · علي', { locales: ['ara'] }],
  ['كتاب علي ۱۲', 'کتاب · ␠ˢ · علی · ␠ˢ · 12', { locales: ['pes'] }],
  ['می\u200Cروم؟', 'می · ∅ˢ · روم · ?ᴴ', { locales: ['pes'] }],
  ['سلام، خوبی', 'سلام · ,ᴴ · ␠ˢ · خوبی'],
  // Thai, Khmer
  ['๑๒๓ OK', '๑๒๓ · ␠ˢ · ok'],
  // Chinese
  ['東京', '東京', { locales: ['jpn'] }],
  ['東京', '東京', { locales: ['eng'] }],
  // Japanese (pieces given by UniDic)
  ['ラーメン', 'らあめん'],
  ['ゲーム', 'け\u3099ーむ'],
  ['ダメHi', 'た\u3099め · hi'],
  ['ｶﾞﾑ', 'カ\u3099ム'],
  // German, Swedish (locales)
  ['Donaudampfschiff', 'donaudampfschiff'],
  ['Åsa köper smör', 'åsa · ␠ˢ · köper · ␠ˢ · smör', { locales: ['swe'] }],
  ['Åsa köper smör', 'asa · ␠ˢ · koper · ␠ˢ · smor'],
  ['Über naïve', 'uber · ␠ˢ · naive', { locales: ['swe'] }],
  // Settings
  ['The THE the', 'the · ␠ˢ · the · ␠ˢ · theˣ', { stopWords: ['the'] }],
  ['to be or', 'toˣ · ␠ˢ · be · ␠ˢ · orˣ', { stopWords: ['to', 'or'] }],
  ['red|green|blue', 'red · |ˢ · green · |ˢ · blue', { separatorTokens: ['|'] }],
  ['x<br/>y', 'x · <br/>ˢ · y', { separatorTokens: ['<br/>'] }],
  ['C# C++ a-b', 'c# · ␠ˢ · c++ · ␠ˢ · a · -ˢ · b', { nonSeparatorTokens: ['#', '+'] }],
  ['a.b, c. d', 'a.b · ,␠ᴴ · c · .␠ᴴ · d', { nonSeparatorTokens: ['.', ','] }],
  ['Dr. J. R. R. Tolkien', 'dr. · ␠ˢ · j.␠r.␠r. · ␠ˢ · tolkien', { dictionary: ['J. R. R.', 'Dr.'] }],
  ['j. r. r. t', 'j · .␠ᴴ · r · .␠ᴴ · r · .␠ᴴ · t', { dictionary: ['J. R. R.'] }],
  ['mywifis', 'my · wifi · s', { dictionary: ['wifi'] }],
  ['Mac&sep&&sepcheese', 'mac · &sepˢ · & · &sepˢ · cheese', { separatorTokens: ['&sep'], nonSeparatorTokens: ['&'] }],
  ['C#D#', 'c# · d#', { nonSeparatorTokens: ['#'], dictionary: ['C#', 'D#'] }],
  // More sentences
  ['jane.doe+news@mail.example.co.uk', 'jane · .ˢ · doe · +ˢ · news · @ˢ · mail · .ˢ · example · .ˢ · co · .ˢ · uk'],
  ['std::vector<int> v = {1, 2}', 'std · :ˢ · :ˢ · vector<int> · ␠ˢ · v · ␠ˢ · = · ␠ˢ · {ˢ · 1 · ,␠ᴴ · 2 · }ˢ'],
  ['libssl1.1_1.1.1n-0+deb11u5', 'libssl1 · .ˢ · 1 · _ˢ · 1 · .ˢ · 1 · .ˢ · 1n · -ˢ · 0 · +ˢ · deb11u5'],
  ['-12.5°C', '-ˢ · 12 · .ˢ · 5°c'],
  ['т. д.; 1 500,50 ₽', 'т · .␠ᴴ · д · .ˢ · ;ᴴ · ␠ˢ · 1 · ␠ˢ · 500 · ,ˢ · 50 · ␠ˢ · ₽'],
  ['Tokyo2020 Париж2024', 'tokyo2020 · ␠ˢ · париж2024'],
  ['ΚΎΡΙΟΣ π.χ.', 'κυριοσ · ␠ˢ · π · .ˢ · χ · .ˢ'],
  ['Apfelbaum', 'apfelbaum', { locales: ['deu', 'eng'] }],
  ['الإنترنت والآلات بالكرة', 'ال · انترنت · ␠ˢ · والالات · ␠ˢ · بالكره'],
  ['ﻻ ﷺ', 'لا · ␠ˢ · صلي␠الله␠عليه␠وسلم'],
  ['۲٬۵۰۰ ﷼', '2٬500 · ␠ˢ · ریال', { locales: ['pes'] }],
  ['Oʻzbekiston don′t donʼt', 'oʻzbekiston · ␠ˢ · don · ′ˢ · t · ␠ˢ · donʼt'],
  ['ba\u030Atar', 'båtar', { locales: ['swe'] }],
  ['\u00A0foo ´eau', '␠foo · ␠ˢ · ␠eau'],
  ['𝐌𝐚𝐭𝐡 𝟙𝟚𝟛', 'Math · ␠ˢ · 123'],
  ['𝐌𝐚𝐭𝐡 x', 'math · ␠ˢ · x'],
  ['🍎apple 👩\u200D👧', '🍎apple · ␠ˢ · 👩\u200D👧'],
];

export const THAI: TokenCase[] = [
  ['นักเรียนไทย', 'นกเรยน · ไทย'],
  ['น้ำแข็ง', 'นาแขง'],
  ['ภาษาไทยง่าย 123', 'ภาษาไทย · งาย · ␠ˢ · 123'],
  ['สีน้ำเงินเปิดให้บริการ 06:00 น.', 'สนาเงน · เปด · ใหบรการ · ␠ˢ · 06 · :ˢ · 00 · ␠ˢ · น · .ˢ'],
];

export const KHMER: TokenCase[] = [['សាលារៀនខ្មែរ។', 'សាលារៀន · ខ្មែរ · ។ᴴ']];

export const CHINESE: TokenCase[] = [
  ['我们在北京大学学习。', '我們 · 在 · 北京 · 大學 · 學習 · 。ᴴ'],
  ['图书馆', '圖書 · 館'],
  ['人工智能', '人工 · 智能'],
  ['中华人民共和国', '中華 · 人民 · 共和 · 國'],
  ['东京，大阪；京都！', '東京 · ,ˢ · 大阪 · ;ᴴ · 京都 · !ᴴ'],
  ['价格：100元', '价格 · :ˢ · 100 · 元'],
  ['2024年 iPhone15手机', '2024 · 年 · ␠ˢ · iphone15 · 手机'],
  ['真爱', '眞 · 愛'],
  ['我爱Rust和C++', '我 · 愛 · rust · 和 · c · +ˢ · +ˢ'],
  ['東京', '東 · 京'],
  ['㈱ 中', '(株) · ␠ˢ · 中'],
  ['日本Tokyo塔', '日本 · tokyo · 塔', { locales: ['cmn'], dictionary: ['日本Tokyo'] }],
  ['乒乓球拍卖完了', '乒乓 · 球 · 拍賣 · 完 · 了'],
  ['南京市长江大桥', '南京 · 市 · 長江 · 大橋'],
  ['中国科学院计算所', '中國 · 科學 · 院 · 計算 · 所'],
  ['這個蘋果比那個便宜', '這 · 個 · 蘋 · 果 · 比 · 那 · 個 · 便宜'],
  ['使用Python3.12和Vue.js', '使用 · python3 · .ˢ · 12 · 和 · vue · .ˢ · js'],
  ['𠮷野家', '吉 · 野 · 家'],
];

export const JAPANESE: TokenCase[] = [['進撃の巨人', '進撃 · の · 巨人']];

export const KOREAN: TokenCase[] = [
  ['ＡＢＣ１２３', 'ABC · 123'],
  ['서울 2024년', 'J(서울) · ␠ˢ · 2024 · J(년)'],
];

export const GERMAN: TokenCase[] = [
  ['Donaudampfschiff', 'donau · dampf · schiff', { locales: ['deu'] }],
  ['Interkulturalität Wissensorganisation', 'inter · kulturalitat · ␠ˢ · wissens · organisation', { locales: ['deu'] }],
  ['Überwachungskamera fährt', 'uberwachungs · kamera · ␠ˢ · fahr · t', { locales: ['deu'] }],
  ['Fußballspiel', 'fuß · ball · spiel', { locales: ['deu'] }],
  ['Fahrradschlüssel Weihnachtsbaumkerzen', 'fahrrad · schlussel · ␠ˢ · weihnachts · baum · kerzen', { locales: ['deu'] }],
  ['Xylofonqwertz DONAUDAMPFSCHIFF', 'xylofonq · wert · z · ␠ˢ · donaudampfschiff', { locales: ['deu'] }],
  ['Kinderbuch', 'kinder · buch', { locales: ['deu', 'eng'] }],
];
